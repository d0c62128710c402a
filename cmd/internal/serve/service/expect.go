package service

import (
	"context"
	"errors"
	"net/http"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/internal/expect"
	"voicepool/internal/sheet/fields"
)

const (
	defaultWithin = "5s"        // waiting time of a call without `within`
	maxWithin     = time.Minute // longest waiting time
	maxRules      = 100         // in a call
)

// ruleResult is the result of one rule.
type ruleResult struct {
	Rule    string `json:"rule"`
	Passed  bool   `json:"passed"`
	Failure string `json:"failure,omitempty"`
}

// expectResult is the answer of expect.
type expectResult struct {
	Passed   bool         `json:"passed"`
	Rules    []ruleResult `json:"rules"`
	Failures []string     `json:"failures"`
	Timeline string       `json:"timeline,omitempty"` // if a rule failed
}

// expect waits until the room has played the sounds that the rules in the body expect, until a rule can no longer hold, or until
// the time `within` has passed. It answers with the result of each rule. The body is a rules file in YAML or JSON, with
// two more keys: `within`, and `from`, the number of the first event that counts. A call counts as an open stream.
func (s *Server) expect(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	text, err := s.body(w, r, s.options.Limits.BodyBytes)
	if err != nil {
		return err
	}
	var within rules.Time
	_ = within.UnmarshalText([]byte(defaultWithin))
	from := 0
	list, err := expect.Parse("rules", text, fields.Field{Key: "within", To: &within}, fields.Field{Key: "from", To: &from, Within: expect.Numbers})
	if err != nil {
		return rulesProblem(err)
	}
	if n := len(list.List); n > maxRules {
		return problemjson.New(http.StatusBadRequest, "expect: a call has at most %d rules, not %d", maxRules, n).WithField("expect").WithLimit(maxRules)
	}
	if within.Seconds() > maxWithin.Seconds() {
		return problemjson.New(http.StatusBadRequest, "within: %v is out of range; want at most %v", within, maxWithin).WithField("within").WithLimit(int64(maxWithin.Seconds()))
	}
	done, err := s.countStream()
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a connection without deadlines returns an error
	verdict, err := h.room.Expect(ctx, list, int64(from), within.Duration(1_000_000))
	switch {
	case s.ctx.Err() != nil:
		return problemjson.New(http.StatusServiceUnavailable, "the server is ending")
	case ctx.Err() != nil:
		return ctx.Err() // the client has gone
	case err != nil:
		return rulesProblem(err)
	}
	answer := expectResult{Passed: true, Failures: append([]string{}, verdict.Failures()...)}
	for i := range verdict.Results {
		one := &verdict.Results[i]
		answer.Rules = append(answer.Rules, ruleResult{one.Rule.String(), one.Fault == "", one.Fault})
		answer.Passed = answer.Passed && one.Fault == ""
	}
	if !answer.Passed {
		answer.Timeline = verdict.Timeline()
	}
	return write(w, http.StatusOK, &answer)
}

// rulesProblem returns the first error of rules in err as a problem with status 400, or any other err unchanged.
func rulesProblem(err error) error {
	if all, ok := errors.AsType[rules.Errors](err); ok {
		return problemjson.New(http.StatusBadRequest, "%s", all[0].Error()).WithField("expect")
	}
	return err
}
