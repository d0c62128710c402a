package webauth

import (
	"net/http"
	"strings"

	"voicepool/cmd/internal/serve/problemjson"
)

// identify finds the credential of the request r and sets v.credential. With an Authorization header, the token in the
// header decides. Without that header, the cookie of a browser session decides, and identify also sets v.session. A
// wrong token or scheme is counted as a failure. The result is then a *problemjson.Problem with the status 401, or 429
// if the address must wait after failures.
//
// If r has neither a header nor a valid cookie, v stays anonymous and the result is nil, even if the rules require
// tokens. If rules do not require tokens, a request with the header stays anonymous, too.
func (g *Guard) identify(v *visitor, rules *rules, r *http.Request) *problemjson.Problem {
	if header := r.Header.Get("Authorization"); header != "" {
		if rules.Tokens == nil {
			return nil // tokens are not required
		}
		scheme, secret, _ := strings.Cut(header, " ")
		if strings.EqualFold(scheme, "Bearer") {
			v.credential = rules.Tokens.find(strings.TrimSpace(secret))
		}
		if v.credential != nil {
			return nil
		}
		g.counts.tokens.Add(1)
		if err := g.failures.fail(v.addr); err != nil {
			return err
		}
		if !strings.EqualFold(scheme, "Bearer") {
			return problemjson.New(401, "Authorization: want Bearer TOKEN")
		}
		return problemjson.New(401, "unknown or expired token")
	}
	if cookie, err := r.Cookie(cookieName(rules.Secure)); err == nil {
		if v.session = g.sessions.find(cookie.Value); v.session != nil {
			v.credential = v.session.credential
		}
	}
	return nil
}

// sessionHeader is a header of each answer to a browser that is logged in. Its value is the
// session's role.
const sessionHeader = "Voicepool-Session"

// cookieName returns the name of the session cookie. secure reports whether the server uses TLS. Only then the name has
// the prefix __Host-, because browsers accept that prefix only over TLS.
func cookieName(secure bool) string {
	if secure {
		return "__Host-voicepool"
	}
	return "voicepool"
}
