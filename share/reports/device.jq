# How reports call a device, the same in all of them:
#
#     include "device";
#     ... | device
#
# The pid of its rows is said where the number stands for several devices; "all" pools them.
def device:
  if has("process") then "\(.device) (\(.process))" elif has("device") then "\(.device)" else "all" end;
