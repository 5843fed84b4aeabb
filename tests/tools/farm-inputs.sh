# farm-inputs.sh — functions for sh, for tests of `texcast farm`: a film and pictures that one run has encoded, and a
# program of tasks, ./task, which says in the file `begun` that it has begun, waits for the file `go`, and kills its
# process group if there is a file `kill-one`.
#
#   make_inputs        in an empty folder; $built is the program
#   farm_film FILE …   encodes the film by Slurm, with more options
#   same_film FILE     whether it has the packets of whole.mkv
#   until_begun N      waits for the Nth task
film='test -t 4s --size 64x48 --fps 10 --coding compact --keyframe-interval 1s --device cpu-reference'
pictures='in --format bc1 --device cpu-reference'
make_inputs() {
  cat > task << 'END'
#!/bin/sh
echo $$ >> begun
while [ ! -e go ]; do sleep 0.05; done
if [ -e kill-one ] && rm kill-one; then kill -KILL 0; fi
exec "$built" "$@"
END
  chmod +x task
  mkdir in
  ffmpeg -v error -f lavfi -i testsrc2=size=20x16:rate=1 -frames:v 5 in/%d.png
  $built -q encode $film whole.mkv && $built -q encode $pictures --to whole
}
packets_of() {
  ffprobe -v error -show_packets -show_data_hash md5 -show_entries packet=pts,duration,size,flags,data_hash "$1"
}
same_film() {
  packets_of whole.mkv > whole.packets
  packets_of "$1" | cmp - whole.packets
}
farm_film() {
  farmed_film=$1
  shift
  "$built" farm encode $film "$farmed_film" --slurm "$@"
}
until_begun() {
  until [ "$(wc -l < begun)" -ge "$1" ]; do sleep 0.05; done
}
