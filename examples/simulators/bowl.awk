# A simulator in awk. Try (mawk needs -W interactive in front, or it waits for more input than there is)
#   reckless solve --command "awk -f examples/simulators/bowl.awk" --x 1:4 --x -7:-2 --y 2:9
{
  split($0, v, /[^-+.0-9eE]+/)  # v[2] is the id, then come x and y
  a = v[3] - 2; b = v[4] + 3; c = v[5] - 5
  printf "{\"id\":%d,\"value\":%.17g}\n", v[2], a * a + b * b + 0.5 * a * c - c * c
  fflush()
}
