//! Slots in words.

/// The value of a slot: `width` bits at `offset` bits from the word `base`.
pub fn read(words: &[u64], base: u32, offset: u32, width: u8, signed: bool) -> i32 {
    let word = words[(base + offset / 64) as usize] >> (offset % 64);
    let unused = 64 - u32::from(width);
    let raised = word << unused;
    if signed { ((raised as i64) >> unused) as i32 } else { (raised >> unused) as i32 }
}

/// Stores a value, cut to the width of the slot.
pub fn write(words: &mut [u64], base: u32, offset: u32, width: u8, value: i32) {
    let word = &mut words[(base + offset / 64) as usize];
    let mask = (u64::MAX >> (64 - u32::from(width))) << (offset % 64);
    *word = (*word & !mask) | (((value as u64) << (offset % 64)) & mask);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_and_extended() {
        let mut words = [0u64; 2];
        write(&mut words, 0, 72, 8, 300);
        assert_eq!(read(&words, 0, 72, 8, false), 44);
        write(&mut words, 1, 16, 16, 40000);
        assert_eq!(read(&words, 1, 16, 16, true), 40000 - 65536);
        write(&mut words, 0, 32, 32, -1);
        assert_eq!(read(&words, 0, 32, 32, true), -1);
        assert_eq!(words[0], 0xffff_ffff_0000_0000);
        assert_eq!(read(&words, 0, 72, 8, false), 44);
    }
}
