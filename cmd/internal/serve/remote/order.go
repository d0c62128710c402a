package remote

import (
	"net/http"
	"net/url"
)

// Order is an order for a room, in the message format of NATS and of the server's WebSocket.
type Order struct {
	Do    string         `json:"do"`
	Voice string         `json:"voice,omitempty"` // for set and stop
	Bus   string         `json:"bus,omitempty"`   // for bus
	With  map[string]any `json:"with,omitempty"`
}

// Call returns the HTTP method and the path of the order o. The path is escaped and begins below the path of the room.
// The fields of o.With are not part of it.
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
