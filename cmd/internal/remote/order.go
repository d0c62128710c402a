package remote

import (
	"net/http"
	"net/url"
)

// Order is what a room is asked for, as messages have it over NATS and over the server's WebSocket.
type Order struct {
	Do    string         `json:"do"`
	Voice string         `json:"voice,omitempty"` // of set and stop
	Bus   string         `json:"bus,omitempty"`   // of bus
	With  map[string]any `json:"with,omitempty"`
}

// Call returns the call of HTTP that is the same: its method, and its path below that of the room.
func (o *Order) Call() (method, path string) {
	switch o.Do {
	case "set":
		return http.MethodPatch, "/voices/" + url.PathEscape(o.Voice)
	case "stop":
		return http.MethodDelete, "/voices/" + url.PathEscape(o.Voice)
	case "bus":
		return http.MethodPatch, "/buses/" + url.PathEscape(o.Bus)
	case "stopall":
		return http.MethodPost, "/stop"
	case "state":
		return http.MethodGet, "/state"
	}
	return http.MethodPost, "/" + o.Do
}
