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

// advise applies the cures that fit the system: the ones for faults with sound always, the ones for silence only if
// no driver played. They add to x.Advice. If the cause of silence is unknown, they add no advice.
func (x *examination) advise() {
	list := degradedCures
	if !x.Sound {
		list = append(list[:len(list):len(list)], silenceCures...)
	}
	for _, c := range list {
		if c.applicable(x) {
			c.apply(x)
		}
	}
}

// cure gives advice for one fault. apply checks for the fault and adds the advice; it is called only on systems that
// have the facility needs.
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

// applicable reports whether the examined system has the facility that the cure needs. It does not check the fault
// itself.
func (c *cure) applicable(x *examination) bool {
	switch c.needs {
	case soundServer:
		return hasPulseDriver(x.machine)
	case alsa:
		return hasALSA(x.machine)
	}
	return true
}

// degradedCures are cures for faults that still allow sound. silenceCures are cures for silence. A cure that
// others depend on comes first.
var (
	degradedCures = []cure{{anySystem, gaps}, {soundServer, wrongServer}, {soundServer, wrongSink}, {soundServer, elsewhere}}
	silenceCures  = []cure{
		{anySystem, overloaded}, {anySystem, leftOut}, {soundServer, otherUser}, {soundServer, hanging}, {soundServer, noRuntime},
		{soundServer, noServer}, {soundServer, noOutput}, {soundServer, muted}, {soundServer, suspended},
		{alsa, barred}, {alsa, busy}, {alsa, noLibrary}, {alsa, noCard},
	}
)

// addAdvice appends advice to x.Advice if applies is true and do is not empty. why describes the fault; do is the
// remedy, a shell command or an instruction.
func (x *examination) addAdvice(applies bool, why, do string) {
	if applies && do != "" {
		x.Advice = append(x.Advice, Advice{why, do})
	}
}

// driverError returns the error of the driver called driver, such as "pulse". It is nil if the driver plays, was not
// tried or is unknown.
func (x *examination) driverError(driver string) error {
	for _, t := range x.Drivers {
		if t.Name == driver {
			return t.err
		}
	}
	return nil
}

// failedWith reports whether Trial.Detail of the driver called driver begins with words. It is false for an unknown
// driver.
func (x *examination) failedWith(driver, words string) bool {
	return slices.ContainsFunc(x.Drivers, func(t Trial) bool {
		return t.Name == driver && strings.HasPrefix(t.Detail, words)
	})
}

// socket returns the first socket in x.Sockets that satisfies match, or nil.
func (x *examination) socket(match func(*Socket) bool) *Socket {
	for i := range x.Sockets {
		if s := &x.Sockets[i]; match(s) {
			return s
		}
	}
	return nil
}

// unusedServer returns the first usable socket of a PulseAudio server that the drivers do not use, or nil.
func (x *examination) unusedServer() *Socket {
	return x.socket(func(s *Socket) bool { return s.Usable && !s.InUse && s.Protocol == "pulse" })
}

// pipeWire reports whether this process can use a socket of PipeWire's own protocol, so that PipeWire runs.
func (x *examination) pipeWire() bool {
	return x.socket(func(s *Socket) bool { return s.Usable && s.Protocol == "pipewire" }) != nil
}

// overdue reports whether the machine is busy and the sound server or a driver did not answer in time. The load is
// then the likely reason.
func (x *examination) overdue() bool {
	return x.Busy != "" && (x.serverTimedOut() || slices.ContainsFunc(x.Drivers, func(t Trial) bool { return isTimeout(t.err) }))
}

// isTimeout reports whether err means that a driver or server did not answer or took no frames in time. It is false
// for nil.
func isTimeout(err error) bool {
	_, stalled := errors.AsType[stallError](err)
	return stalled || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errSlow)
}

// serverTimedOut reports whether the sound server did not answer the request for its sinks in time.
func (x *examination) serverTimedOut() bool {
	return isTimeout(x.sinkErr)
}

// gaps advises a larger buffer if the sound had gaps. If the machine is busy, it also advises to close programs.
func gaps(x *examination) {
	why, do := "the sound had gaps", "play with a larger --buffer, as --buffer 100ms"
	if x.Busy != "" {
		why, do = why+", and this machine is busy: "+x.Busy, "close other programs, or "+do
	}
	x.addAdvice(x.Sound && x.Measured.Gaps > 0, why, do)
}

// overloaded advises to close programs if the machine is busy and a server or a driver did not answer in time.
func overloaded(x *examination) {
	x.addAdvice(x.overdue(), "this machine is busy: "+x.Busy, "close other programs, and run the doctor again")
}

// leftOut advises another build if the program has no driver.
func leftOut(x *examination) {
	built := slices.ContainsFunc(x.Drivers, func(t Trial) bool { return t.Outputs != "" })
	x.addAdvice(!built, "no driver was built in", "build it without the tag nooto")
}

// wrongServer advises to unset PULSE_SERVER if it is not a valid name of a server.
func wrongServer(x *examination) {
	x.addAdvice(x.failedWith("pulse", "PULSE_SERVER:"), "PULSE_SERVER is not the name of a server", "unset PULSE_SERVER")
}

// wrongSink advises to unset PULSE_SINK if it names a sink that does not exist.
func wrongSink(x *examination) {
	x.addAdvice(x.failedWith("pulse", "PULSE_SINK:"), "PULSE_SINK names a sink that does not exist", "unset PULSE_SINK")
}

// elsewhere advises to change an environment variable if a sound server runs at a place where the drivers do not
// look, and they did not reach another server.
func elsewhere(x *examination) {
	other := x.unusedServer()
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
	x.addAdvice(!x.failedWith("pulse", "PULSE_SERVER:"), "a sound server at "+words.OneLine(other.Path)+" is not used", do)
}

// otherUser advises to run the program without sudo, or else as the owner of the sound server, if this user lacks the
// permission for a socket that the drivers use.
func otherUser(x *examination) {
	socket := x.socket(func(s *Socket) bool { return s.InUse && strings.HasPrefix(s.Detail, "no permission") })
	if socket == nil || x.unusedServer() != nil {
		return
	}
	owner, _ := x.machine.Owner(socket.Path)
	_, sudo := x.machine.Env("SUDO_USER")
	why := "the sound server belongs to another user"
	if owner != "" {
		why = "the sound server belongs to " + words.OneLine(owner)
	}
	x.addAdvice(sudo, why, "run it without sudo")
	x.addAdvice(!sudo && owner != "", why, "run it as "+words.OneLine(owner))
}

// hanging advises to restart a sound server that did not answer in time, unless the machine is busy or PULSE_SERVER
// names the server.
func hanging(x *examination) {
	_, named := x.machine.Env("PULSE_SERVER")
	if !x.serverTimedOut() || named || x.overdue() {
		return
	}
	why := "the sound server does not answer"
	switch {
	case x.hasUserSystemd() && x.machine.Program("pipewire-pulse"):
		x.addAdvice(true, why, "systemctl --user restart pipewire-pulse")
	case x.machine.Program("pulseaudio"):
		x.addAdvice(true, why, "pulseaudio --kill; pulseaudio --start")
	}
}

// hasUserSystemd reports whether systemd runs for this user, so that `systemctl --user` can start programs.
func (x *examination) hasUserSystemd() bool {
	dir := value(x.machine, "XDG_RUNTIME_DIR")
	return dir != "" && exists(x.machine, strings.TrimPrefix(dir, "/")+"/systemd")
}

// serverAbsent reports whether no sound server runs for this user. It is false if PULSE_SERVER is set, a server does
// not answer, or a server belongs to another user.
func (x *examination) serverAbsent() bool {
	_, named := x.machine.Env("PULSE_SERVER")
	return x.sinkErr != nil && !named && !x.serverTimedOut() && x.unusedServer() == nil &&
		x.socket(func(s *Socket) bool { return s.InUse && strings.HasPrefix(s.Detail, "no permission") }) == nil
}

// noRuntime advises to set XDG_RUNTIME_DIR if it is not set, no sound server was found, and the usual folder of this
// user exists.
func noRuntime(x *examination) {
	dir := "/run/user/" + x.machine.Identity().ID
	x.addAdvice(x.serverAbsent() && value(x.machine, "XDG_RUNTIME_DIR") == "" && exists(x.machine, dir[1:]),
		"XDG_RUNTIME_DIR is not set, so no sound server can be found", "export XDG_RUNTIME_DIR="+quoted(dir))
}

// noServer advises to start or to install a sound server, if the drivers found no server although there is a usable
// card or PipeWire runs.
func noServer(x *examination) {
	usable := slices.ContainsFunc(x.Cards, func(c Card) bool { return c.Usable })
	if !x.serverAbsent() || !usable && !x.pipeWire() {
		return
	}
	has := x.machine.Program
	switch why := "no sound server runs"; {
	case x.pipeWire() && !has("pipewire-pulse"):
		x.addAdvice(true, "PipeWire runs without its PulseAudio server", x.System.install(x.machine, "pipewire-pulse"))
	case has("pipewire-pulse") && x.hasUserSystemd():
		x.addAdvice(true, why, "systemctl --user start pipewire-pulse.socket")
	case x.pipeWire():
		x.addAdvice(true, "PipeWire runs without its PulseAudio server", "pipewire-pulse &")
	case has("pulseaudio") && value(x.machine, "XDG_RUNTIME_DIR") != "":
		x.addAdvice(true, why, "pulseaudio --start")
	case !has("pulseaudio") && !has("pipewire-pulse") && !x.lacksALSA():
		x.addAdvice(true, "no sound server is installed", x.System.install(x.machine, "server"))
	}
}

// noOutput advises to install or restart the session manager of PipeWire if the sound server answers but has no
// output, and PipeWire runs.
func noOutput(x *examination) {
	none := x.sinkErr == nil && (len(x.Sinks) == 0 ||
		slices.ContainsFunc(x.Sinks, func(s pulse.Sink) bool { return s.Name == dummy }))
	if !none || !x.pipeWire() {
		return
	}
	has := x.machine.Program("wireplumber") || x.machine.Program("pipewire-media-session")
	x.addAdvice(!has, "PipeWire has no session manager, so no card reaches it", x.System.install(x.machine, "wireplumber"))
	x.addAdvice(has && x.hasUserSystemd() && len(x.Cards) > 0, "PipeWire sees no sound card", "systemctl --user restart wireplumber")
}

// muted advises to unmute the sink if a driver failed because it is muted, and pactl is installed.
func muted(x *examination) {
	if m, ok := errors.AsType[mutedError](x.driverError("pulse")); ok && x.machine.Program("pactl") {
		x.addAdvice(true, m.Error(), "pactl set-sink-mute "+quoted(m.sink)+" 0")
	}
}

// suspended advises to wake the sink if a driver failed because it is suspended, and pactl is installed.
func suspended(x *examination) {
	asleep := errors.Is(x.driverError("pulse"), errSuspended) && x.Measured != nil && x.machine.Program("pactl")
	if asleep {
		x.addAdvice(true, "the sink is suspended", "pactl suspend-sink "+quoted(x.Measured.Sink)+" 0")
	}
}

// barred advises to join the group of the sound cards, or to start the container with that group, if this user is not
// permitted to use any card.
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
	x.addAdvice(group != "" && group != "root" && i.User != "", "only the group "+words.OneLine(group)+" may use the sound cards", do)
}

// busy advises to end the programs that play on the sound cards directly, if that is so for every card and no sound
// server was found.
func busy(x *examination) {
	if x.sinkErr == nil || x.serverTimedOut() {
		return
	}
	for _, c := range x.Cards {
		if c.Owner == 0 {
			return
		}
	}
	for _, c := range x.Cards {
		x.addAdvice(true, c.Path+" is in use", "end "+program(x.machine, c.Owner)+", or let both play through a sound server")
	}
}

// lacksALSA reports whether the driver oto failed because ALSA's library, libasound, cannot be loaded.
func (x *examination) lacksALSA() bool {
	err := x.driverError("oto")
	return err != nil && strings.Contains(err.Error(), "load libasound")
}

// noLibrary advises to install the library of ALSA if the driver oto failed because of it, and the package manager is
// known.
func noLibrary(x *examination) {
	x.addAdvice(x.lacksALSA(), "ALSA's library is not installed", x.System.install(x.machine, "alsa"))
}

// noCard advises to start the container with access to the sound cards, if this process runs in a container that has
// neither a card nor a sound server.
func noCard(x *examination) {
	_, named := x.machine.Env("PULSE_SERVER")
	reachable := x.pipeWire() || x.socket(func(s *Socket) bool { return s.InUse && s.Detail != "not there" }) != nil
	x.addAdvice(x.System.Container != "" && len(x.Cards) == 0 && x.sinkErr != nil && x.unusedServer() == nil && !named && !reachable,
		"this container has no access to a sound card", "start it with "+x.System.Container+" run --device /dev/snd")
}

// plain matches a word that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[\w./:@%+=-]+$`)

// quoted returns word without line breaks, in single quotes if a shell would not read it as one plain word.
func quoted(word string) string {
	if word = words.OneLine(word); plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
