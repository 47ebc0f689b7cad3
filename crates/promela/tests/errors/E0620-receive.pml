// expect: E0620 at 4
chan c = [1] of { byte };
active proctype P() { c!1 }
never { skip unless { c?1 } }
