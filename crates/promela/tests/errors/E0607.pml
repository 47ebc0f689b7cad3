// expect: E0607 at 3
chan c = [0] of { byte };
active proctype P() priority 5 { c!1 }
active proctype Q() { c?_ }
