package webauth

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/internal/words"
)

//go:embed login.html
var loginText string

//go:embed login.css
var loginCSS []byte

// maxForm is the maximum size of a login form in bytes.
const maxForm = 4096

var loginTemplate = template.Must(template.New("login").Parse(loginText))

// loginPage answers GET /login. Without the parameter key, it shows the login page. key is the secret of a one-time
// link: with a valid key, loginPage starts a session, redirects, and the link is used up. HEAD requests and prefetches
// only get the page, so that they do not use up a link. An unknown or expired key counts as a failed login. The page
// then shows the reason, with status 403, or 429 if the address must wait. During that wait a valid key gets the 429,
// too, and is not used up.
func (g *Guard) loginPage(w http.ResponseWriter, r *http.Request) {
	v := r.Context().Value(visitorKey{}).(*visitor)
	key := r.URL.Query().Get("key")
	if key == "" || r.Method != http.MethodGet || strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") {
		g.showLogin(w, r, http.StatusOK, "")
		return
	}
	if err := g.failures.blocked(v.addr); err != nil {
		g.refuseLogin(w, r, err)
		return
	}
	b := g.sessions.use(key)
	if b == nil {
		g.counts.tokens.Add(1)
		if err := g.failures.fail(v.addr); err != nil {
			g.refuseLogin(w, r, err)
			return
		}
		g.showLogin(w, r, http.StatusForbidden, "This link has been used or has expired. Get another link, or log in with a token.")
		return
	}
	g.startSession(w, r, b)
}

// login answers POST /login, the form of the login page. With a valid token it starts a session and redirects. If the
// server needs no tokens, it only redirects. Otherwise it shows the page again with the reason. The status is 400 for
// an invalid form, 403 for a wrong token, and 429 while the address must wait. During the wait a valid token gets the
// 429, too. A wrong token counts as a failed login.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	v, rules := r.Context().Value(visitorKey{}).(*visitor), g.rules.Load()
	if err := g.failures.blocked(v.addr); err != nil {
		g.refuseLogin(w, r, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		g.showLogin(w, r, http.StatusBadRequest, "The form is invalid, or larger than 4 KiB.")
		return
	}
	if rules.Tokens == nil {
		http.Redirect(w, r, next(r), http.StatusSeeOther)
		return
	}
	b := rules.Tokens.find(strings.TrimSpace(r.PostForm.Get("token")))
	if b == nil {
		g.counts.tokens.Add(1)
		if err := g.failures.fail(v.addr); err != nil {
			g.refuseLogin(w, r, err)
			return
		}
		g.showLogin(w, r, http.StatusForbidden, "This token is unknown or has expired.")
		return
	}
	g.startSession(w, r, b)
}

// startSession starts and stores a browser session with the permissions of b, and sets its cookie on w. It then
// redirects the browser to the path from the function next. If the request r has the cookie of an earlier session, that
// session ends. It stays if b comes from a link that it has made, because the new session ends with it.
func (g *Guard) startSession(w http.ResponseWriter, r *http.Request, b *credential) {
	v := r.Context().Value(visitorKey{}).(*visitor)
	if v.session != nil && v.session.credential.id != b.id { // a session that made the link stays: the new one ends with it
		v.session.credential.end()
	}
	cookie := g.sessions.start(b)
	g.storeSessions()
	g.setCookie(w, cookie, int(sessionTime.Seconds()))
	http.Redirect(w, r, next(r), http.StatusSeeOther)
}

// logout answers POST /logout. It ends the caller's session, if there is one, and stores that. It deletes the cookie
// and redirects to the login page.
func (g *Guard) logout(w http.ResponseWriter, r *http.Request) {
	if v := r.Context().Value(visitorKey{}).(*visitor); v.session != nil {
		v.session.credential.end()
		g.storeSessions()
	}
	g.setCookie(w, "", -1)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// setCookie sets the session cookie of a response to value. Browsers send the cookie only to this site, and hide it
// from scripts. age is its lifetime in seconds; a negative age deletes the cookie. setCookie also forbids clients to
// cache the response.
func (g *Guard) setCookie(w http.ResponseWriter, value string, age int) {
	tls := g.rules.Load().Secure
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(tls), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: tls, SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Cache-Control", "no-store")
}

// next returns the path to redirect to after a login. It is the parameter next of the query or form of r. If that is
// missing, or not a path on this server, it is "/".
func next(r *http.Request) string {
	to := r.FormValue("next")
	if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}

// showLogin answers with the login page and the HTTP status. The page shows message, which may be empty, and the role
// of the caller's session. Its form keeps the target of the redirect after the login. The page must not be cached.
func (g *Guard) showLogin(w http.ResponseWriter, r *http.Request, status int, message string) {
	to := next(r)
	if to == "/" {
		to = ""
	}
	var role Role
	if v := r.Context().Value(visitorKey{}).(*visitor); v.session != nil {
		role = v.session.credential.role
	}
	page := struct {
		Message, Next, Role string
		Open                bool
	}{Message: message, Next: to, Open: g.rules.Load().Tokens == nil}
	if role != None {
		page.Role = role.String()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	loginTemplate.Execute(w, page)
}

// refuseLogin answers a login from an address that must wait. The error why has the reason and the waiting time. The
// answer is the login page with both, and the status of why.
func (g *Guard) refuseLogin(w http.ResponseWriter, r *http.Request, why *problemjson.Problem) {
	w.Header().Set("Retry-After", strconv.Itoa(why.RetrySeconds()))
	g.showLogin(w, r, why.Status, fmt.Sprintf("There were %s. Try again in %d s.", why.Detail, why.RetrySeconds()))
}

// loginStyle answers with the style sheet of the login page.
func loginStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Write(loginCSS)
}

// linkRequest is the body of POST /v1/login-links.
type linkRequest struct {
	Role string `json:"role"`
	Room string `json:"room"`
}

// makeLink answers POST /v1/login-links with status 201 and the URL of a new one-time login link. The host in the URL
// is the Host header of the request. The body has the role of the link and its room, or all rooms if it names no room.
// The caller must be an Admin there. The link ends with the caller's token or session. An invalid body is a 400, a body
// that is above 4 KiB or cannot be read a 413, and a missing permission a 401 or 403.
func (g *Guard) makeLink(w http.ResponseWriter, r *http.Request) {
	v, rules := r.Context().Value(visitorKey{}).(*visitor), g.rules.Load()
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err != nil {
		Write(w, problemjson.New(413, "the body is larger than 4 KiB").WithLimit(maxForm))
		return
	}
	var request linkRequest
	role, wrong := request.read(data)
	if wrong != nil {
		Write(w, wrong)
		return
	}
	if err := Allow(r.Context(), request.Room, Admin); err != nil {
		Write(w, err)
		return
	}
	if request.Room == "" && v.credential != nil && !v.credential.covers(Admin, "") {
		Write(w, problemjson.New(403, "room: the token is limited to some rooms; name one of them"))
		return
	}
	from := cmp.Or(v.credential, rules.openCredential)
	if from == nil { // tokens were removed after the rules were read
		Write(w, problemjson.New(401, "the tokens of the server have just changed; try again"))
		return
	}
	path := g.invite(from, role, request.Room)
	scheme := "http"
	if rules.Secure {
		scheme = "https"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(map[string]string{"url": scheme + "://" + r.Host + path})
}

// read parses data, a JSON object, into i and returns the role that it names. Invalid JSON, an unknown field, and an
// unknown or missing role are a *problemjson.Problem with the status 400. Otherwise the *problemjson.Problem is nil.
// After an error, i may be partly filled.
func (i *linkRequest) read(data []byte) (Role, *problemjson.Problem) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(data) || json.Unmarshal(data, &fields) != nil {
		return None, problemjson.New(400, `the body must be JSON, such as {"role": "operator", "room": "main"}`)
	}
	for key, value := range fields {
		to := map[string]*string{"role": &i.Role, "room": &i.Room}[key]
		switch {
		case to == nil:
			return None, problemjson.New(400, "unknown field %s; the nearest is %s", words.OneLine(key), words.Nearest(key, []string{"role", "room"}))
		case json.Unmarshal(value, to) != nil:
			return None, problemjson.New(400, "%s: want a string", key)
		}
	}
	role, err := ParseRole(i.Role)
	if err != nil {
		return None, problemjson.New(400, "role: %v", err)
	}
	return role, nil
}
