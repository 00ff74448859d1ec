#!/usr/bin/env bash
# A simulator in bash: one pair per line comes in, one value per line goes out. Try
#   reckless solve --command "bash examples/simulators/bowl.sh" --x 1:4 --x -7:-2 --y 2:9 --maxfev 500
request='"id":([0-9]+),"x":\[([^]]*)\],"y":\[([^]]*)\]'
while IFS= read -r line; do
  if [[ $line =~ $request ]]; then
    id=${BASH_REMATCH[1]}
    value=$(awk -F, -v pair="${BASH_REMATCH[2]},${BASH_REMATCH[3]}" 'BEGIN {
      split(pair, v, ","); a = v[1] - 2; b = v[2] + 3; c = v[3] - 5
      printf "%.17g", a * a + b * b + 0.5 * a * c - c * c }')
    printf '{"id":%d,"value":%s}\n' "$id" "$value"
  else
    echo "cannot read: $line" >&2
    exit 1
  fi
done
