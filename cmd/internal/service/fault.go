package service

import (
	"errors"
	"net/http"
	"runtime"
	"syscall"

	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/room"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// statuses are what HTTP calls the kinds of a room's errors.
var statuses = map[room.Kind]int{
	room.Range:    http.StatusBadRequest,
	room.NotFound: http.StatusNotFound,
	room.Refused:  http.StatusConflict,
	room.Busy:     http.StatusServiceUnavailable,
	room.Limit:    http.StatusTooManyRequests,
	room.Closed:   http.StatusNotFound,
}

// fault returns an error as a problem. What nobody foresaw is a 500 without details.
func fault(err error) *problem.Problem {
	var p *problem.Problem
	var e *room.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &e):
		status, known := statuses[e.Kind]
		if !known {
			break
		}
		p = problem.New(status, "%s", words.OneLine(e.Detail)).Of(e.Field)
		p.Nearest, p.Reason, p.Event, p.Limit = e.Nearest, e.Reason, e.Event, e.Limit
		return p
	case errors.Is(err, mixer.ErrBusy):
		return problem.New(http.StatusServiceUnavailable, "the audio side is behind; ask again later")
	case errors.Is(err, mixer.ErrClosed):
		return problem.New(http.StatusNotFound, "the room has ended")
	case full(err):
		return problem.New(http.StatusInsufficientStorage, "the disk of the server is full; nothing is stored").For("disk full")
	}
	return problem.New(http.StatusInternalServerError, "something went wrong here; it is not the call's fault")
}

// errDiskFull is the error number of Windows for a full disk.
const errDiskFull = syscall.Errno(112)

// full reports whether an error says that a disk is full, or that a quota is used up.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, errDiskFull)
}

// answer returns an error as the answer to a call.
func answer(err error) (int, any) {
	p := fault(err)
	return p.Status, p
}

// shown returns an error of the show as a problem: what it does not do now is a 409.
func shown(err error, field string) error {
	switch {
	case errors.Is(err, mixer.ErrBusy), errors.Is(err, mixer.ErrClosed):
		return err
	case errors.Is(err, cue.ErrAction):
		return problem.New(http.StatusNotFound, "%s", words.OneLine(plain(err))).Of(field)
	}
	p := problem.New(http.StatusConflict, "%s", plain(err)).Of(field)
	p.Reason = "show"
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			p.Reason = r.name
		}
	}
	return p
}

// refusals are what a show does not do now, in short.
var refusals = []struct {
	err  error
	name string
}{{show.ErrGuard, "guard"}, {show.ErrPaused, "paused"}, {show.ErrOver, "list over"}, {show.ErrEnd, "list over"}}

// plain returns the message of an error as one line, without what no caller knows.
func plain(err error) string {
	text := words.Plain(err)
	const action = "no action: "
	if len(text) > len(action) && text[:len(action)] == action {
		text = text[len(action):]
	}
	return text
}
