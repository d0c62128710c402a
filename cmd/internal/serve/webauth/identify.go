package webauth

import (
	"net/http"
	"strings"
)

// identify sets v.credential from the token in the Authorization header of r. Without that header it sets v.session and
// v.credential from the cookie. A wrong token or scheme counts as a failure and is a *Denied: 401, or 429 if the
// address must wait after failures. Without a header and a valid cookie, or with a header when rules require no tokens,
// v stays anonymous and the result is nil.
func (g *Guard) identify(v *visitor, rules *rules, r *http.Request) *Denied {
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
			return &Denied{Status: 401, Detail: "Authorization: want Bearer TOKEN"}
		}
		return &Denied{Status: 401, Detail: "unknown or expired token"}
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

// cookieName returns the name of the session cookie. secure means that the server uses TLS: browsers accept the
// prefix __Host- only over TLS.
func cookieName(secure bool) string {
	if secure {
		return "__Host-voicepool"
	}
	return "voicepool"
}
