package service

import (
	"net/http"
	"strings"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/internal/words"
)

// showReply is the answer to an order for a show.
type showReply struct {
	Cue     string `json:"cue,omitempty"` // the cue that a GO started
	Standby string `json:"standby"`
	Said    string `json:"said,omitempty"`
	Frame   int64  `json:"frame,omitempty"` // the frame of an action that was scheduled for later
}

// runOrSchedule runs an order now, or schedules it in the room r. do carries out the order and returns an HTTP status
// and a body. If when is not in the future, runOrSchedule runs do and returns its results. Otherwise it schedules do
// and returns 202 and a body with the frame. A later problem of do is reported as an event of r. If r rejects the
// moment, the body is a *problemjson.Problem. word names the order in the body and in the event.
func runOrSchedule(r *room.Room, when room.Moment, word string, do func() (int, any)) (int, any) {
	frame, later, err := r.Schedule(when, word, func() error {
		_, body := do()
		if p, wrong := body.(*problemjson.Problem); wrong {
			return p
		}
		return nil
	})
	switch {
	case err != nil:
		return errorReply(err)
	case !later:
		return do()
	}
	return http.StatusAccepted, &showReply{Standby: r.Show().Next(), Said: word, Frame: frame}
}

// replyStandby returns the answer to a show order in the room r: the HTTP status 200 and a body. The body has the cue
// on standby, which the next GO starts, and word, the name of the order.
func replyStandby(r *room.Room, word string) (int, any) {
	return http.StatusOK, &showReply{Standby: r.Show().Next(), Said: word}
}

// checkCue returns nil if the cue list of the room r has a cue with this number. Numbers are equal by value: "2.50"
// finds cue 2.5. Otherwise, also without a list, it returns an error with the HTTP status 404, which suggests the
// nearest number of the list.
func checkCue(r *room.Room, number string) error {
	s := r.Sheet()
	_, err := s.ListIndex(number)
	if err == nil {
		return nil
	}
	numbers := words.Names(s.List, func(l *cue.ListCue) string { return l.Number })
	p := problemjson.New(http.StatusNotFound, "%s", plainMessage(err)).WithField("cue")
	p.Nearest = words.Nearest(number, numbers)
	return p
}

// goCue carries out the order "go": it starts a cue of the list in the room r, now or later. o.With is the JSON body.
// Its field cue is the number of the cue, by default the cue on standby. Its field from is the time in the cue, from
// its beginning, to start at. goCue returns the HTTP status and the body, a *showReply or, after a failure, a
// *problemjson.Problem. An unknown cue is a 404. If the show rejects the GO, the status is 409.
func goCue(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "cue", "from", "at", "frame")
	number, from, when := f.text("cue"), f.time("from"), f.when()
	if f.err != nil {
		return errorReply(f.err)
	}
	if number != "" {
		if err := checkCue(r, number); err != nil {
			return errorReply(err)
		}
	}
	return runOrSchedule(r, when, "go", func() (int, any) {
		begun, err := r.Show().GoAt(number, from)
		if err != nil {
			return errorReply(showError(err, ""))
		}
		return http.StatusOK, &showReply{Cue: begun, Standby: r.Show().Next()}
	})
}

// standby carries out the order "standby" in the room r, now or later. The cue on standby is the cue that the next GO
// starts. o.With is the JSON body. Its field cue puts that cue on standby. Its field step, 1 or -1, moves standby one
// cue forward or back, past disabled cues. Exactly one field, cue or step, is required. standby returns the HTTP status
// and the body, a *showReply or, after a failure, a *problemjson.Problem.
func standby(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "cue", "step", "at", "frame")
	number, step, when := f.text("cue"), f.integer("step"), f.when()
	switch {
	case f.err != nil:
	case (number == "") == (step == nil):
		f.fail("cue", "want either the number of a cue or a step")
	case step != nil && *step != 1 && *step != -1:
		f.fail("step", "want 1 or -1")
	}
	if f.err != nil {
		return errorReply(f.err)
	}
	if step == nil {
		if err := checkCue(r, number); err != nil {
			return errorReply(err)
		}
	}
	return runOrSchedule(r, when, "standby", func() (int, any) {
		err, field := error(nil), "cue"
		if step != nil {
			err, field = r.Show().Step(int(*step)), "step"
		} else {
			err = r.Show().Standby(number)
		}
		if err != nil {
			return errorReply(showError(err, field))
		}
		return replyStandby(r, "standby")
	})
}

// panicShow carries out the order "panic" in the room r, now or later: it fades everything out over 1 s and cancels
// scheduled actions. A paused show resumes. o.With is the JSON body. panicShow returns the HTTP status and the body, a
// *showReply or, after a failure, a *problemjson.Problem.
func panicShow(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "at", "frame")
	when := f.when()
	if f.err != nil {
		return errorReply(f.err)
	}
	return runOrSchedule(r, when, "panic", func() (int, any) {
		r.Show().Panic()
		return replyStandby(r, "panic")
	})
}

// stopAll carries out the order "stopall" in the room r, now or later: it fades out all running cues. Sounds that no
// cue has started continue. o.With is the JSON body. Its field over is the length of the fade, by default showrun.Fade.
// With its field target, only the voices with that id or on that bus stop; "all" stops every voice. stopAll returns the
// HTTP status and the body, a *showReply or, after a failure, a *problemjson.Problem.
func stopAll(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "over", "target", "at", "frame")
	over, target, when := orDefault(f.time("over"), showrun.Fade), f.text("target"), f.when()
	if f.err != nil {
		return errorReply(f.err)
	}
	return runOrSchedule(r, when, "stop", func() (int, any) {
		if target != "" {
			return runAction(r, "stop", target, over.String())
		}
		r.Show().Stop(over)
		return replyStandby(r, "stop")
	})
}

// pause carries out the order "pause" in the room r, now or later: it pauses the show. o.With is the JSON body. If its
// field on is false, the show resumes instead. With its field target, only the voices with that id or on that bus are
// affected. pause returns the HTTP status and the body, a *showReply or, after a failure, a *problemjson.Problem.
func pause(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "on", "target", "at", "frame")
	on, target, when := orDefault(f.boolean("on"), true), f.text("target"), f.when()
	if f.err != nil {
		return errorReply(f.err)
	}
	word := "resume"
	if on {
		word = "pause"
	}
	return runOrSchedule(r, when, word, func() (int, any) {
		if target != "" {
			return runAction(r, word, target)
		}
		r.Show().Pause(on)
		return replyStandby(r, word)
	})
}

// runAction runs an action of the show of r on a target, and returns the HTTP status and the body. word is the action,
// such as "stop". target is an id of voices or the name of a bus. args are further arguments of the action. The body
// has the cue on standby, or is a *problemjson.Problem that explains a failure. The action is passed to the show as one
// line. Therefore a target with a space or a control character is unknown (404).
func runAction(r *room.Room, word, target string, args ...string) (int, any) {
	if strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return errorReply(problemjson.New(http.StatusNotFound, "unknown id or bus %q", words.OneLine(target)).WithField("target"))
	}
	if err := r.Show().Do(strings.Join(append([]string{word, target}, args...), " ")); err != nil {
		return errorReply(showError(err, "target"))
	}
	return replyStandby(r, word)
}

// scene carries out the order "scene" in the room r, now or later: it fades to a scene of the sheet. o.With is the JSON
// body. Its field scene is the name; "" leaves the current scene. Its field over is the length of the fade, by default
// 0. The name is checked at once, even if the change is for later. scene returns the HTTP status and the body, a
// *showReply or, after a failure, a *problemjson.Problem.
func scene(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "scene", "over", "at", "frame")
	f.require("scene")
	name, over, when := f.text("scene"), orZero(f.time("over")), f.when()
	if f.err != nil {
		return errorReply(f.err)
	}
	if err := r.CheckScene(name, over); err != nil {
		return errorReply(err)
	}
	return runOrSchedule(r, when, "scene", func() (int, any) {
		if err := r.Scene(name, over); err != nil {
			return errorReply(err)
		}
		return replyStandby(r, "scene")
	})
}

// defaultFade is the default length of the fade when a room ends, and maxFade the maximum.
const (
	defaultFade = 300 * time.Millisecond
	maxFade     = time.Minute
)
