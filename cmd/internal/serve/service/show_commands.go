package service

import (
	"net/http"
	"strings"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/internal/words"
)

// showReply is the answer to an order for a show.
type showReply struct {
	Cue     string `json:"cue,omitempty"` // the cue that a GO started
	Standby string `json:"standby"`
	Said    string `json:"said,omitempty"`
	Frame   int64  `json:"frame,omitempty"` // the frame of an action that was scheduled for later
}

// runOrSchedule runs do now and returns the HTTP status and the body of do. If when is in the future, it schedules do
// in r instead and returns 202 and a body with the frame; the show of r reports a later problem of do as an event. A
// moment that r rejects gives a problem. word is the name of the order in the body and in the event.
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

// replyStandby returns status 200 and a body with the cue on standby in r and word, the name of the order.
func replyStandby(r *room.Room, word string) (int, any) {
	return http.StatusOK, &showReply{Standby: r.Show().Next(), Said: word}
}

// checkCue returns nil if the list of r has a cue whose number equals number by value: "2.50" finds cue 2.5. Otherwise,
// also without a list, it returns a problem with status 404 that suggests the nearest number.
func checkCue(r *room.Room, number string) error {
	s := r.Sheet()
	_, err := s.ListIndex(number)
	if err == nil {
		return nil
	}
	var numbers []string
	for i := range s.List {
		numbers = append(numbers, s.List[i].Number)
	}
	p := problemjson.New(http.StatusNotFound, "%s", plainMessage(err)).WithField("cue")
	p.Nearest = words.Nearest(number, numbers)
	return p
}

// goCue carries out the order "go": it starts a cue of the list, by default the cue on standby, now or later. It
// returns the HTTP status and a *showReply or a problem: 404 for an unknown cue, 409 if the show rejects the GO.
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

// standby carries out the order "standby": it puts the cue of the field cue on standby, or moves standby one cue
// forward or back with the field step, 1 or -1, now or later. It requires exactly one field, cue or step. It returns
// the HTTP status and a *showReply or a problem.
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

// panicShow carries out the order "panic": it fades everything out and cancels scheduled actions, now or later. It
// returns the HTTP status and a *showReply or a problem.
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

// stopAll carries out the order "stopall": it fades out all running cues over the field over, by default
// showrun.Fade, now or later. With the field target it stops only the voices with that id or on that bus. It returns
// the HTTP status and a *showReply or a problem.
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

// pause carries out the order "pause": it pauses the show, or resumes it if the field on is false, now or later.
// With the field target it affects only the voices with that id or on that bus. It returns the HTTP status and a
// *showReply or a problem.
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

// runAction runs the action word of the show, such as "stop", on target, the id of voices or a bus. args are the
// action's further arguments. It returns the HTTP status and the body: the cue on standby, or a problem. A target with
// a space or a control character is unknown (404), because the action is passed to the show as one line.
func runAction(r *room.Room, word, target string, args ...string) (int, any) {
	if strings.ContainsFunc(target, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return errorReply(problemjson.New(http.StatusNotFound, "unknown id or bus %q", words.OneLine(target)).WithField("target"))
	}
	if err := r.Show().Do(strings.Join(append([]string{word, target}, args...), " ")); err != nil {
		return errorReply(showError(err, "target"))
	}
	return replyStandby(r, word)
}

// scene carries out the order "scene": it fades to a scene of the sheet over the field over, now or later. The scene ""
// leaves the current scene. The name is checked at once, also for later. It returns the HTTP status and a *showReply
// or a problem.
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
