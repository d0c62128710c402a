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

// advise appends advice to x.Advice for the faults that the examination found. Remedies for gaps and wrong settings
// are always checked. Remedies for silence are checked only if no driver played. Remedies that do not fit the system
// are skipped. If the cause of silence is unknown, no advice is added.
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

// applicable reports whether the examined machine has the part that the cure is for, such as ALSA. It does not check
// for the fault itself.
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

// addAdvice appends an advice to x.Advice if applies is true and the parameter do is not empty. The parameter why
// describes the fault. The parameter do is the remedy, a shell command or an instruction.
func (x *examination) addAdvice(applies bool, why, do string) {
	if applies && do != "" {
		x.Advice = append(x.Advice, Advice{why, do})
	}
}

// driverError returns the error of the driver with the given name, such as "pulse". If the driver plays, was not tried
// or is unknown, the result is nil.
func (x *examination) driverError(driver string) error {
	for _, t := range x.Drivers {
		if t.Name == driver {
			return t.err
		}
	}
	return nil
}

// failedWith reports whether the text Trial.Detail of a driver begins with the string words, in the same case. The
// parameter driver is the name of the driver. If x has no trial of that driver, the result is false.
func (x *examination) failedWith(driver, words string) bool {
	return slices.ContainsFunc(x.Drivers, func(t Trial) bool {
		return t.Name == driver && strings.HasPrefix(t.Detail, words)
	})
}

// socket returns a pointer to the first element of x.Sockets that the function match accepts. If match accepts no
// element, the result is nil.
func (x *examination) socket(match func(*Socket) bool) *Socket {
	for i := range x.Sockets {
		if s := &x.Sockets[i]; match(s) {
			return s
		}
	}
	return nil
}

// unusedServer returns the socket of a PulseAudio server that this process could use but the drivers do not. If there
// are several, it returns the first, and without any it returns nil.
func (x *examination) unusedServer() *Socket {
	return x.socket(func(s *Socket) bool { return s.Usable && !s.InUse && s.Protocol == "pulse" })
}

// pipeWire reports whether PipeWire runs: this process can use a socket of PipeWire's own protocol.
func (x *examination) pipeWire() bool {
	return x.socket(func(s *Socket) bool { return s.Usable && s.Protocol == "pipewire" }) != nil
}

// overdue reports whether the load of the machine is the likely reason for silence. The machine must be busy, and the
// sound server or a driver must not have answered in time.
func (x *examination) overdue() bool {
	return x.Busy != "" && (x.serverTimedOut() || slices.ContainsFunc(x.Drivers, func(t Trial) bool { return isTimeout(t.err) }))
}

// isTimeout reports whether err means that a driver or a sound server did not answer in time, or took no frames in
// time. For nil the result is false.
func isTimeout(err error) bool {
	_, stalled := errors.AsType[stallError](err)
	return stalled || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errSlow)
}

// serverTimedOut reports whether the sound server did not answer the request for its sinks in time.
func (x *examination) serverTimedOut() bool {
	return isTimeout(x.sinkErr)
}

// gaps adds advice to x.Advice if a driver played until the end, but with gaps. It advises a larger buffer, and if the
// machine is busy, also to close programs.
func gaps(x *examination) {
	why, do := "the sound had gaps", "play with a larger --buffer, as --buffer 100ms"
	if x.Busy != "" {
		why, do = why+", and this machine is busy: "+x.Busy, "close other programs, or "+do
	}
	x.addAdvice(x.Sound && x.Measured.Gaps > 0, why, do)
}

// overloaded adds to x.Advice the advice to close programs if the machine is busy and a sound server or a driver did
// not answer in time.
func overloaded(x *examination) {
	x.addAdvice(x.overdue(), "this machine is busy: "+x.Busy, "close other programs, and run the doctor again")
}

// leftOut adds to x.Advice the advice to build the program differently if it was built without any driver.
func leftOut(x *examination) {
	built := slices.ContainsFunc(x.Drivers, func(t Trial) bool { return t.Outputs != "" })
	x.addAdvice(!built, "no driver was built in", "build it without the tag nooto")
}

// wrongServer adds to x.Advice the advice to unset the environment variable PULSE_SERVER if its value is not a valid
// name of a server.
func wrongServer(x *examination) {
	x.addAdvice(x.failedWith("pulse", "PULSE_SERVER:"), "PULSE_SERVER is not the name of a server", "unset PULSE_SERVER")
}

// wrongSink adds to x.Advice the advice to unset the environment variable PULSE_SINK if it names a sink that does not
// exist.
func wrongSink(x *examination) {
	x.addAdvice(x.failedWith("pulse", "PULSE_SINK:"), "PULSE_SINK names a sink that does not exist", "unset PULSE_SINK")
}

// elsewhere adds advice to x.Advice if the drivers reached no sound server but another server runs where they do not
// look. It advises to change PULSE_SERVER or XDG_RUNTIME_DIR. It adds no advice if the value of PULSE_SERVER is not
// valid, or if the load of the machine is the likely reason.
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

// otherUser adds advice to x.Advice if this user lacks the permission for a socket of a sound server that the drivers
// use. It advises to run the program without sudo, or else as the owner of the socket. If another usable server runs,
// it adds no advice.
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

// hanging adds to x.Advice the advice to restart the sound server if it did not answer in time. It adds no advice if
// the machine is busy, if PULSE_SERVER names the server, or if the command for a restart is unknown.
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

// serverAbsent reports whether the drivers failed because this user has no running sound server. The result is false
// in three cases: PULSE_SERVER is set, a server does not answer, or a server exists that the drivers cannot or do not
// use.
func (x *examination) serverAbsent() bool {
	_, named := x.machine.Env("PULSE_SERVER")
	return x.sinkErr != nil && !named && !x.serverTimedOut() && x.unusedServer() == nil &&
		x.socket(func(s *Socket) bool { return s.InUse && strings.HasPrefix(s.Detail, "no permission") }) == nil
}

// noRuntime adds to x.Advice the advice to set the environment variable XDG_RUNTIME_DIR. The variable must be unset,
// the drivers must have found no sound server, and the usual folder of this user must exist.
func noRuntime(x *examination) {
	dir := "/run/user/" + x.machine.Identity().ID
	x.addAdvice(x.serverAbsent() && value(x.machine, "XDG_RUNTIME_DIR") == "" && exists(x.machine, dir[1:]),
		"XDG_RUNTIME_DIR is not set, so no sound server can be found", "export XDG_RUNTIME_DIR="+quoted(dir))
}

// noServer adds to x.Advice the advice to start or install a sound server if the drivers found no server. There must
// be a usable sound card, or PipeWire must run without its PulseAudio server.
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

// noOutput adds advice to x.Advice if the sound server answers but has no output, and PipeWire runs. It advises to
// install the session manager of PipeWire. If that is installed, it advises to restart it, but only with a sound card
// and with systemd for this user.
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

// muted adds to x.Advice the advice to unmute the sink if the driver pulse failed because its sink is muted. The
// program pactl must be installed.
func muted(x *examination) {
	if m, ok := errors.AsType[mutedError](x.driverError("pulse")); ok && x.machine.Program("pactl") {
		x.addAdvice(true, m.Error(), "pactl set-sink-mute "+quoted(m.sink)+" 0")
	}
}

// suspended adds to x.Advice the advice to wake the sink if the driver pulse failed because its sink is suspended. The
// program pactl must be installed.
func suspended(x *examination) {
	asleep := errors.Is(x.driverError("pulse"), errSuspended) && x.Measured != nil && x.machine.Program("pactl")
	if asleep {
		x.addAdvice(true, "the sink is suspended", "pactl suspend-sink "+quoted(x.Measured.Sink)+" 0")
	}
}

// barred adds advice to x.Advice if this user has no permission for any of the sound cards. It advises to join the
// group of the cards, or in a container to start it with that group. If the group or the user is unknown, it adds no
// advice.
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

// busy adds advice to x.Advice if the drivers reached no sound server and every sound card is in use by a program. For
// each card it advises to end that program, or to let both play through a sound server. It adds no advice if the sound
// server did not answer in time.
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

// noLibrary adds to x.Advice the advice to install ALSA's library if the driver oto failed because it cannot be
// loaded. If the command to install it is unknown, it adds no advice.
func noLibrary(x *examination) {
	x.addAdvice(x.lacksALSA(), "ALSA's library is not installed", x.System.install(x.machine, "alsa"))
}

// noCard adds to x.Advice the advice to start the container with access to the sound cards. This process must run in a
// container that has neither a card nor a sound server.
func noCard(x *examination) {
	_, named := x.machine.Env("PULSE_SERVER")
	reachable := x.pipeWire() || x.socket(func(s *Socket) bool { return s.InUse && s.Detail != "not there" }) != nil
	x.addAdvice(x.System.Container != "" && len(x.Cards) == 0 && x.sinkErr != nil && x.unusedServer() == nil && !named && !reachable,
		"this container has no access to a sound card", "start it with "+x.System.Container+" run --device /dev/snd")
}

// plain matches a word that needs no quotes in a shell.
var plain = regexp.MustCompile(`^[\w./:@%+=-]+$`)

// quoted returns word as one argument of a shell command. First it removes spaces at both ends of word and replaces
// each control character, such as a line break, by a space. If a shell would not read the rest as one plain word, it
// puts the rest in single quotes.
func quoted(word string) string {
	if word = words.OneLine(word); plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
