package main

import (
	"cmp"
	"os"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// sheetFlags are the common flags of all commands that play sheets. A flag that is not given is nil
// or zero, and the sheet's setting applies.
type sheetFlags struct {
	Voices   *int               `placeholder:"N" help:"Number of voices in the pool, 1..65536."`
	Overflow *flagtype.Overflow `predictor:"overflow" placeholder:"POLICY" help:"Policy of a full pool: quietest, oldest, gain, reject, grow, or masked with --virtual."`
	Virtual  *int               `placeholder:"N" help:"Number of virtual voices: stolen voices keep time silently and return when they are loud enough."`
	Refuse   bool               `help:"Reject a new sound that is 6 dB less audible than the voice it would steal."`
	Rate     *int               `placeholder:"HZ" help:"Sample rate in Hz, 1000..768000."`
	Quality  *flagtype.Quality  `predictor:"quality" placeholder:"NAME" help:"Interpolation of pitched sounds: linear, cubic, best."`
	Seed     *int64             `placeholder:"N" help:"Seed of the random choices."`
	Length   *flagtype.Time     `placeholder:"TIME" help:"Stop after this time: 30s, 1m30s, 1.5."`
	Block    int                `placeholder:"N" default:"512" help:"Frames per block, 1..1048576."`

	isolateFlag

	Report   string `predictor:"file" placeholder:"FILE" help:"Write the report (JSON) to a file; - is standard output."`
	Timeline string `predictor:"file" placeholder:"FILE" help:"Draw voices over time to an .svg, .png or .html file."`
	JSON     bool   `name:"json" help:"Print only the report, to standard output."`
	Quiet    bool   `short:"q" help:"Print errors only."`
	Verbose  bool   `short:"v" help:"Print every event."`
}

// maxBlock is the maximum of --block.
const maxBlock = 1 << 20

// check returns a usage error for values of these flags that are invalid for every sheet, and for flags that exclude
// each other.
func (f *sheetFlags) check() error {
	if err := pool(f.Voices, f.Virtual); err != nil {
		return err
	}
	switch {
	case f.Rate != nil && (*f.Rate < 1000 || *f.Rate > 768000):
		return console.Usage("--rate: %d Hz is not in 1000..768000", *f.Rate)
	case f.Block < 1 || f.Block > maxBlock:
		return console.Usage("--block: %d frames are not in 1..%d", f.Block, maxBlock)
	case f.JSON && f.Report == "-":
		return console.Usage("--json and --report - both write to standard output; write one of them to a file")
	}
	return checkTimeline("--timeline", f.Timeline)
}

// pool returns a usage error if voices is not in 1..65536 or virtual not in 0..65536. A nil pointer means as in the
// sheet and is valid.
func pool(voices, virtual *int) error {
	return cmp.Or(inRange("voices", voices, 1, mixer.MaxVoices), inRange("virtual", virtual, 0, mixer.MaxVoices))
}

// pools returns a usage error if any of sizes, numbers of voices, is not in 1..65536.
func pools(sizes []int) (err error) {
	for i := range sizes {
		err = cmp.Or(err, pool(&sizes[i], nil))
	}
	return err
}

// inRange returns a usage error that names --flag if x is outside from..to, both inclusive. A nil x is valid; NaN is
// not.
func inRange[N int | float64](flag string, x *N, from, to N) error {
	if x == nil || *x >= from && *x <= to {
		return nil
	}
	return console.Usage("--%s: %v is not in %v..%v", flag, *x, from, to)
}

// apply returns a copy of sheet with the flags applied that the user has given. sheet is unchanged, but shares memory
// with the copy. Output flags and --block are not part of a sheet.
func (f *sheetFlags) apply(sheet *cue.Sheet) *cue.Sheet {
	s := *sheet
	set(&s.Voices, f.Voices)
	set(&s.Rate, f.Rate)
	set(&s.Virtual, f.Virtual)
	set(&s.Overflow, (*mixer.Overflow)(f.Overflow))
	set(&s.Quality, (*sounds.Quality)(f.Quality))
	if f.Seed != nil {
		s.Seed = uint64(*f.Seed)
	}
	s.Length = cmp.Or((*rules.Time)(f.Length), s.Length)
	s.Refuse = s.Refuse || f.Refuse
	return &s
}

// set copies *value to *dst, unless value is nil.
func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}

// addReports returns list with the files of --report and --timeline added, and with standard output for --json.
func (f *sheetFlags) addReports(list outfiles.List) outfiles.List {
	if f.JSON {
		list = list.Print("--json", os.Stdout)
	}
	return list.And("--report", " ", f.Report).And("--timeline", " ", f.Timeline)
}

// addSummary returns list with file, standard output or error, added, because the command prints its summary there.
// name is its name for messages. If the flags suppress the summary, addSummary returns list unchanged.
func (f *sheetFlags) addSummary(list outfiles.List, file *os.File, name string) outfiles.List {
	if f.Quiet || f.JSON || f.Report == "-" {
		return list
	}
	return list.Print("the text on "+name+" (-q turns it off)", file)
}

// foldFlag is the flag of commands that play sheets with several outputs.
type foldFlag struct {
	Fold bool `help:"Mix all outputs of the sheet into one, in stereo."`
}

// fold sets sheet.Downmix to the flag --fold. If the flag is given for a sheet without several outputs, it prints a
// message, unless c.Quiet is set.
func (f foldFlag) fold(c *console.Console, sheet *cue.Sheet) {
	if f.Fold && len(sheet.Outputs) == 0 && !c.Quiet {
		c.Say("--fold has no effect: the sheet has no `outputs`")
	}
	sheet.Downmix = f.Fold
}

// liveFlags are the flags of commands that play in real time.
type liveFlags struct {
	sheetFlags
	Strict bool            `help:"Exit with 1 if a part was not heard, also with --device auto, or if a damaged file was concealed."`
	Device liveplay.Device `predictor:"device" placeholder:"DEVICE" default:"auto" help:"Device to play to: auto, pulse, pulse:SINK, oto, null, wav:FILE, raw:FILE (float32), raw16:FILE (int16), or - for a WAV on standard output."`
	Buffer *flagtype.Time  `placeholder:"TIME" help:"Buffer of the sound card, 5ms..1s. A small one reacts faster; a large one survives a busy machine."`
}

// check returns a usage error for invalid flags and for flags that exclude each other.
func (l *liveFlags) check() error {
	buffer := l.buffer()
	switch {
	case buffer != 0 && !l.Device.Plays():
		return console.Usage("--buffer is for sound cards: --device %s has no buffer", l.Device.Kind)
	case l.Buffer != nil && (buffer < 5*time.Millisecond || buffer > time.Second):
		return console.Usage("--buffer: %v is not in 5ms..1s", buffer)
	}
	if l.Device.Standard() && (l.JSON || l.Report == "-") {
		return console.Usage("--device - needs standard output for itself; write the report to a file")
	}
	if l.Strict && l.Device.Kind == "null" {
		return console.Usage("--strict: --device null plays no sound; name another device")
	}
	return l.sheetFlags.check()
}

// buffer returns the value of --buffer, or 0 without the flag, which means the driver's default.
func (l *liveFlags) buffer() time.Duration {
	if l.Buffer == nil {
		return 0
	}
	return rules.Time(*l.Buffer).Duration(1_000_000)
}

// outputs returns all files and streams that the command writes, for List.CheckDistinct, which checks that they replace
// neither an input nor each other.
func (l *liveFlags) outputs() outfiles.List {
	if l.Device.Standard() {
		return l.addSummary(l.addReports(outfiles.Of("--device", " ", "-")), os.Stderr, "standard error")
	}
	return l.addSummary(l.addReports(outfiles.Of("--device", " "+l.Device.Kind+":", l.Device.File())), os.Stdout, "standard output")
}

// perform plays a copy of sheet with the flags applied until it ends or a signal interrupts it. It adds the flags to
// its copy of o and sets c.Quiet to the flag.
func (l *liveFlags) perform(c *console.Console, interrupted *console.Interrupts, sheet *cue.Sheet, o liveplay.Options) error {
	o.Device, o.Buffer = l.Device, l.buffer()
	o.Block, o.Limits, o.Report, o.Timeline = l.Block, l.limits(), l.Report, l.Timeline
	c.Quiet = l.Quiet
	o.JSON, o.Verbose, o.Strict = l.JSON, l.Verbose, l.Strict
	return liveplay.Play(c, interrupted, l.apply(sheet), &o)
}

// trialFlags are the flags of commands that render with several policies.
type trialFlags struct {
	JSON  bool `name:"json" help:"Print JSON."`
	Quiet bool `short:"q" help:"Show no progress."`
	isolateFlag
}

// runInterruptible calls work, the work of a command, with c and a context that ends at a signal, and returns its
// error. If a signal has interrupted work and it failed, the result is the Interruption. It sets c.Quiet to the flag.
func (f *trialFlags) runInterruptible(c *console.Console, work func(*console.Console, *console.Interrupts) error) error {
	c.Quiet = f.Quiet
	interrupted := c.Listen()
	defer interrupted.Close()
	return interrupted.Instead(c, work(c, interrupted))
}

// decodeCommand is the hidden command that --isolate starts in another process. It decodes one file
// from standard input, with minimal privileges.
type decodeCommand struct{}

// Run decodes the file on standard input to standard output, in the process that --isolate starts.
func (decodeCommand) Run(c *console.Console) error {
	return library.ServeDecode(c.In, c.Out, library.Limits{})
}

// isolateFlag is the flag of all commands that load sounds.
type isolateFlag struct {
	Isolate bool `help:"Decode each sound in another process, with hard limits."`
}

// limits returns the decoding limits. With --isolate, they start the hidden command decode of this program for each
// file.
func (f isolateFlag) limits() library.Limits {
	if !f.Isolate {
		return library.Limits{}
	}
	program, _ := os.Executable() // fallback: the name that this program was started with
	return library.Limits{Isolate: []string{cmp.Or(program, os.Args[0]), "decode"}}
}

// serverFlags returns a usage error if the user has given a flag in app that has no effect with --to. Permitted are
// --to, --token, --to-creds and the names in permitted, without "--".
func serverFlags(app *kong.Context, permitted ...string) error {
	for _, p := range app.Path {
		if p.Flag != nil && p.Flag.Name != "to" && p.Flag.Name != "token" && p.Flag.Name != "to-creds" && !slices.Contains(permitted, p.Flag.Name) {
			return console.Usage("--%s cannot be used with --to: it is a setting of the server", p.Flag.Name)
		}
	}
	return nil
}
