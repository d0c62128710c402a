package doctor

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"voicepool/device/pulse"
	"voicepool/internal/words"
)

// Advice is a suggestion that may restore the sound.
type Advice struct {
	Why string `json:"why"`
	Do  string `json:"do"` // a shell command, or an instruction in words
}

// advise adds all applicable advice. It adds no advice for an unknown cause.
func (x *examination) advise() {
	list := misled
	if !x.Sound {
		list = append(list[:len(list):len(list)], silent...)
	}
	for _, c := range list {
		if c.fits(x) {
			c.apply(x)
		}
	}
}

// cure gives advice for one fault, on systems with a facility.
type cure struct {
	needs facility
	apply func(*examination)
}

// facility is the part of a system that a cure needs.
type facility int

const (
	anySystem   facility = iota
	soundServer          // PulseAudio or PipeWire
	alsa                 // the sound cards of Linux
)

// fits reports whether the examined system has the facility that a cure needs.
func (c *cure) fits(x *examination) bool {
	switch c.needs {
	case soundServer:
		return serves(x.machine)
	case alsa:
		return hasALSA(x.machine)
	}
	return true
}

// misled are cures for faults that still allow sound. silent are cures for silence. A cure that
// others depend on comes first.
var (
	misled = []cure{{anySystem, gaps}, {soundServer, wrongServer}, {soundServer, wrongSink}, {soundServer, elsewhere}}
	silent = []cure{
		{anySystem, overloaded}, {anySystem, leftOut}, {soundServer, otherUser}, {soundServer, hanging}, {soundServer, noRuntime},
		{soundServer, noServer}, {soundServer, noOutput}, {soundServer, muted}, {soundServer, suspended},
		{alsa, barred}, {alsa, busy}, {alsa, noLibrary}, {alsa, noCard},
	}
)

// say adds advice if applies is true and do is not empty.
func (x *examination) say(applies bool, why, do string) {
	if applies && do != "" {
		x.Advice = append(x.Advice, Advice{why, do})
	}
}

// failed returns the error of a driver. It is nil if the driver plays, was not tried or is unknown.
func (x *examination) failed(driver string) error {
	for _, t := range x.Drivers {
		if t.Name == driver {
			return t.err
		}
	}
	return nil
}

// says reports whether the error message of a driver begins with words. It is false for an unknown driver.
func (x *examination) says(driver, words string) bool {
	return slices.ContainsFunc(x.Drivers, func(t Trial) bool {
		return t.Name == driver && strings.HasPrefix(t.Detail, words)
	})
}

// socket returns the first socket that satisfies wanted, or nil.
func (x *examination) socket(wanted func(*Socket) bool) *Socket {
	for i := range x.Sockets {
		if s := &x.Sockets[i]; wanted(s) {
			return s
		}
	}
	return nil
}

// other returns a working server socket that the drivers do not use, or nil.
func (x *examination) other() *Socket {
	return x.socket(func(s *Socket) bool { return s.Usable && !s.Asked && s.Speaks == "pulse" })
}

// pipeWire reports whether a usable socket of PipeWire itself exists.
func (x *examination) pipeWire() bool {
	return x.socket(func(s *Socket) bool { return s.Usable && s.Speaks == "pipewire" }) != nil
}

// overdue reports whether a server or a driver did not answer in time on a busy machine. Then the
// load is the likely reason.
func (x *examination) overdue() bool {
	return x.Busy != "" && (x.deadline() || slices.ContainsFunc(x.Drivers, func(t Trial) bool { return isTimeout(t.err) }))
}

// isTimeout reports whether an error is a timeout. It is false for nil.
func isTimeout(err error) bool {
	_, stalled := errors.AsType[stallError](err)
	return stalled || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errSlow)
}

// deadline reports whether the sound server did not answer in time when its sinks were requested.
func (x *examination) deadline() bool {
	return isTimeout(x.sinkErr)
}

// gaps advises a larger buffer if the sound had gaps, and to close programs if the machine is busy.
func gaps(x *examination) {
	why, do := "the sound had gaps", "play with a larger --buffer, as --buffer 100ms"
	if x.Busy != "" {
		why, do = why+", and this machine is busy: "+x.Busy, "close other programs, or "+do
	}
	x.say(x.Sound && x.Measured.Gaps > 0, why, do)
}

// overloaded advises to close programs if a busy machine did not answer in time. The server and the driver
// may be in order.
func overloaded(x *examination) {
	x.say(x.overdue(), "this machine is busy: "+x.Busy, "close other programs, and run the doctor again")
}

// leftOut advises another build if no driver was built in.
func leftOut(x *examination) {
	built := slices.ContainsFunc(x.Drivers, func(t Trial) bool { return t.Ways != "" })
	x.say(!built, "no driver was built in", "build it without the tag nooto")
}

// wrongServer advises to unset PULSE_SERVER if it is not a valid server name.
func wrongServer(x *examination) {
	x.say(x.says("pulse", "PULSE_SERVER:"), "PULSE_SERVER is not the name of a server", "unset PULSE_SERVER")
}

// wrongSink advises to unset PULSE_SINK if it names an unknown sink.
func wrongSink(x *examination) {
	x.say(x.says("pulse", "PULSE_SINK:"), "PULSE_SINK names a sink that does not exist", "unset PULSE_SINK")
}

// elsewhere advises a change of the environment if a server runs, but the drivers do not use it.
func elsewhere(x *examination) {
	other := x.other()
	if x.sinkErr == nil || other == nil || x.overdue() {
		return
	}
	_, named := x.machine.Env("PULSE_SERVER")
	do := "export PULSE_SERVER=unix:" + quoted(other.Path)
	switch dir, home := strings.CutSuffix(other.Path, "/pulse/native"); {
	case named && other.From == "XDG_RUNTIME_DIR":
		do = "unset PULSE_SERVER"
	case !named && home && other.From == sessionOf:
		do = "export XDG_RUNTIME_DIR=" + quoted(dir)
	}
	x.say(!x.says("pulse", "PULSE_SERVER:"), "a sound server at "+words.OneLine(other.Path)+" is not used", do)
}

// otherUser advises to run the program as the owner of the sound server, if that is another user.
func otherUser(x *examination) {
	asked := x.socket(func(s *Socket) bool { return s.Asked && strings.HasPrefix(s.Detail, "no permission") })
	if asked == nil || x.other() != nil {
		return
	}
	owner, _ := x.machine.Owner(asked.Path)
	_, sudo := x.machine.Env("SUDO_USER")
	why := "the sound server belongs to another user"
	if owner != "" {
		why = "the sound server belongs to " + words.OneLine(owner)
	}
	x.say(sudo, why, "run it without sudo")
	x.say(!sudo && owner != "", why, "run it as "+words.OneLine(owner))
}

// hanging advises to restart a server that accepts the connection but does not answer.
func hanging(x *examination) {
	_, named := x.machine.Env("PULSE_SERVER")
	if !x.deadline() || named || x.overdue() {
		return
	}
	why := "the sound server does not answer"
	switch {
	case x.hasUserSystemd() && x.machine.Program("pipewire-pulse"):
		x.say(true, why, "systemctl --user restart pipewire-pulse")
	case x.machine.Program("pulseaudio"):
		x.say(true, why, "pulseaudio --kill; pulseaudio --start")
	}
}

// hasUserSystemd reports whether `systemctl --user` can start programs of this user:
// XDG_RUNTIME_DIR has a folder of systemd.
func (x *examination) hasUserSystemd() bool {
	dir := value(x.machine, "XDG_RUNTIME_DIR")
	return dir != "" && there(x.machine, strings.TrimPrefix(dir, "/")+"/systemd")
}

// absent reports whether all known places lack a server. It is false if PULSE_SERVER is set or permission
// is missing.
func (x *examination) absent() bool {
	_, named := x.machine.Env("PULSE_SERVER")
	return x.sinkErr != nil && !named && !x.deadline() && x.other() == nil &&
		x.socket(func(s *Socket) bool { return s.Asked && strings.HasPrefix(s.Detail, "no permission") }) == nil
}

// noRuntime advises to set XDG_RUNTIME_DIR if it is missing, so that no server can be found.
func noRuntime(x *examination) {
	dir := "/run/user/" + x.machine.Identity().ID
	x.say(x.absent() && value(x.machine, "XDG_RUNTIME_DIR") == "" && there(x.machine, dir[1:]),
		"XDG_RUNTIME_DIR is not set, so no sound server can be found", "export XDG_RUNTIME_DIR="+quoted(dir))
}

// noServer advises to start or to install a server, if it could play but is not running.
func noServer(x *examination) {
	usable := slices.ContainsFunc(x.Cards, func(c Card) bool { return c.Usable })
	if !x.absent() || !usable && !x.pipeWire() {
		return
	}
	has := x.machine.Program
	switch why := "no sound server runs"; {
	case x.pipeWire() && !has("pipewire-pulse"):
		x.say(true, "PipeWire runs without its PulseAudio server", x.System.install(x.machine, "pipewire-pulse"))
	case has("pipewire-pulse") && x.hasUserSystemd():
		x.say(true, why, "systemctl --user start pipewire-pulse.socket")
	case x.pipeWire():
		x.say(true, "PipeWire runs without its PulseAudio server", "pipewire-pulse &")
	case has("pulseaudio") && value(x.machine, "XDG_RUNTIME_DIR") != "":
		x.say(true, why, "pulseaudio --start")
	case !has("pulseaudio") && !has("pipewire-pulse") && !x.lacksALSA():
		x.say(true, "no sound server is installed", x.System.install(x.machine, "server"))
	}
}

// noOutput advises to install or restart the session manager if PipeWire has no output.
func noOutput(x *examination) {
	none := x.sinkErr == nil && (len(x.Sinks) == 0 ||
		slices.ContainsFunc(x.Sinks, func(s pulse.Sink) bool { return s.Name == dummy }))
	if !none || !x.pipeWire() {
		return
	}
	has := x.machine.Program("wireplumber") || x.machine.Program("pipewire-media-session")
	x.say(!has, "PipeWire has no session manager, so no card reaches it", x.System.install(x.machine, "wireplumber"))
	x.say(has && x.hasUserSystemd() && len(x.Cards) > 0, "PipeWire sees no sound card", "systemctl --user restart wireplumber")
}

// muted advises to unmute the sink if it plays, but is muted.
func muted(x *examination) {
	if m, ok := errors.AsType[mutedError](x.failed("pulse")); ok && x.machine.Program("pactl") {
		x.say(true, m.Error(), "pactl set-sink-mute "+quoted(m.sink)+" 0")
	}
}

// suspended advises to wake the sink if it is suspended.
func suspended(x *examination) {
	asleep := errors.Is(x.failed("pulse"), errSuspended) && x.Measured != nil && x.machine.Program("pactl")
	if asleep {
		x.say(true, "the sink is suspended", "pactl suspend-sink "+quoted(x.Measured.Sink)+" 0")
	}
}

// barred advises to join the group of the sound cards if this user has no permission for any card.
func barred(x *examination) {
	if slices.ContainsFunc(x.Cards, func(c Card) bool { return !c.barred }) || len(x.Cards) == 0 {
		return
	}
	i := x.machine.Identity()
	_, group := x.machine.Owner(x.Cards[0].Path)
	do := sudo(i) + "usermod -aG " + quoted(group) + " " + quoted(i.User) + ", and log in again"
	if x.System.Container != "" {
		do = "start it with " + x.System.Container + " run --group-add " + quoted(group)
	}
	x.say(group != "" && group != "root" && i.User != "", "only the group "+words.OneLine(group)+" may use the sound cards", do)
}

// busy advises to end the programs that use all cards and do not share them. A server that does not answer
// may itself be such a program.
func busy(x *examination) {
	if x.sinkErr == nil || x.deadline() {
		return
	}
	for _, c := range x.Cards {
		if c.Owner == 0 {
			return
		}
	}
	for _, c := range x.Cards {
		x.say(true, c.Path+" is in use", "end "+program(x.machine, c.Owner)+", or let both play through a sound server")
	}
}

// lacksALSA reports whether the driver oto failed because ALSA's library is missing.
func (x *examination) lacksALSA() bool {
	err := x.failed("oto")
	return err != nil && strings.Contains(err.Error(), "load libasound")
}

// noLibrary advises to install ALSA's library if it is missing.
func noLibrary(x *examination) {
	x.say(x.lacksALSA(), "ALSA's library is not installed", x.System.install(x.machine, "alsa"))
}

// noCard advises to start the container with the sound cards if it was started without any.
func noCard(x *examination) {
	_, named := x.machine.Env("PULSE_SERVER")
	given := x.pipeWire() || x.socket(func(s *Socket) bool { return s.Asked && s.Detail != "not there" }) != nil
	x.say(x.System.Container != "" && len(x.Cards) == 0 && x.sinkErr != nil && x.other() == nil && !named && !given,
		"this container has no access to a sound card", "start it with "+x.System.Container+" run --device /dev/snd")
}

// plain matches a word that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[\w./:@%+=-]+$`)

// quoted returns a word on one line, quoted for a shell if necessary.
func quoted(word string) string {
	if word = words.OneLine(word); plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
