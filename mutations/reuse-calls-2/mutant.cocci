// A handle is read when it has been closed.
@@
expression c, h, n;
@@
- watch_read(c, h, n);
  watch_close(c, h);
+ watch_read(c, h, n);
