% A simulator in Octave (version 7 or newer). Try
%   reckless solve --command "octave --quiet examples/simulators/bowl.m" --x 1:4 --x -7:-2 --y 2:9 --workers 2
line = fgetl(stdin);
while ischar(line)
  pair = jsondecode(line);
  a = pair.x(1) - 2; b = pair.x(2) + 3; c = pair.y(1) - 5;
  printf('{"id":%d,"value":%.17g}\n', pair.id, a * a + b * b + 0.5 * a * c - c * c);
  fflush(stdout);
  line = fgetl(stdin);
end
