package service

import (
	"errors"
	"net/http"
	"runtime"
	"syscall"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// statuses maps the kinds of a room's errors to HTTP status codes.
var statuses = map[room.Kind]int{
	room.Range:    http.StatusBadRequest,
	room.NotFound: http.StatusNotFound,
	room.Refused:  http.StatusConflict,
	room.Busy:     http.StatusServiceUnavailable,
	room.Limit:    http.StatusTooManyRequests,
	room.Closed:   http.StatusNotFound,
}

// problemOf converts err to the problem that the client receives. err must not be nil. A *problemjson.Problem in err is
// returned unchanged. A *room.Error gets the HTTP status of its kind and keeps its details. A busy mixer becomes a 503,
// a closed mixer a 404, and a full disk a 507. Any other error, also a *room.Error of an unknown kind, becomes a 500
// without details.
func problemOf(err error) *problemjson.Problem {
	var p *problemjson.Problem
	var e *room.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &e):
		status, known := statuses[e.Kind]
		if !known {
			break
		}
		p = problemjson.New(status, "%s", words.OneLine(e.Detail)).WithField(e.Field)
		p.Nearest, p.Reason, p.Event, p.Limit = e.Nearest, e.Reason, e.Event, e.Limit
		return p
	case errors.Is(err, mixer.ErrBusy):
		return problemjson.New(http.StatusServiceUnavailable, "the audio side is behind; try again later")
	case errors.Is(err, mixer.ErrClosed):
		return problemjson.New(http.StatusNotFound, "the room has ended")
	case isDiskFull(err):
		return problemjson.New(http.StatusInsufficientStorage, "the server's disk is full, so the data was not stored").WithReason("disk full")
	}
	return problemjson.New(http.StatusInternalServerError, "internal error of the server; the call itself may be correct")
}

// errDiskFull is the error number of Windows for a full disk.
const errDiskFull = syscall.Errno(112)

// isDiskFull reports whether err wraps the system's error for a full disk or an exhausted disk quota.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, errDiskFull)
}

// errorReply returns the failed result of an order: the HTTP status and, as the body, the *problemjson.Problem of err.
// problemOf makes the problem. err must not be nil.
func errorReply(err error) (int, any) {
	p := problemOf(err)
	return p.Status, p
}

// showError converts err, an error of a show, to the error of a call. err must not be nil. An unknown cue or target
// (cue.ErrAction) becomes an HTTP 404. mixer.ErrBusy and mixer.ErrClosed are returned unchanged. Any other error means
// that the show rejects the action in its present state. It becomes a 409, whose Reason comes from the table refusals,
// or is "show". field is the request field that the error names, or "".
func showError(err error, field string) error {
	switch {
	case errors.Is(err, mixer.ErrBusy), errors.Is(err, mixer.ErrClosed):
		return err
	case errors.Is(err, cue.ErrAction):
		return problemjson.New(http.StatusNotFound, "%s", words.OneLine(plainMessage(err))).WithField(field)
	}
	p := problemjson.New(http.StatusConflict, "%s", plainMessage(err)).WithField(field)
	p.Reason = "show"
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			p.Reason = r.name
		}
	}
	return p
}

// refusals maps the show's errors to short reasons.
var refusals = []struct {
	err  error
	name string
}{{showrun.ErrGuard, "guard"}, {showrun.ErrPaused, "paused"}, {showrun.ErrOver, "list over"}, {showrun.ErrEnd, "list over"}}

// plainMessage returns the message of err as one line, without the name of a package in front. If the message begins
// with "no action: ", as for cue.ErrAction, it removes that prefix. err must not be nil.
func plainMessage(err error) string {
	text := words.Plain(err)
	const action = "no action: "
	if len(text) > len(action) && text[:len(action)] == action {
		text = text[len(action):]
	}
	return text
}
