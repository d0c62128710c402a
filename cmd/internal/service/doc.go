// Package service lets programs and people play on rooms over HTTP and WebSocket.
//
//	s := service.New(service.Options{Folder: "state/rooms"})
//	s.Add(main)                       // a room of serve's own
//	http.Serve(listener, s)
//	status, body := s.Do(ctx, "main", service.Order{Do: "go"}) // for other protocols
//	defer s.Close(300 * time.Millisecond)
//
// openapi.json says what it takes and gives.
package service
