// Package service serves rooms to programs and people over HTTP and WebSocket.
//
//	s := service.New(service.Options{Folder: "state/rooms"})
//	s.Add(main)                       // a room from the configuration
//	http.Serve(listener, s)
//	status, body := s.Do(ctx, "main", service.Order{Do: "go"}) // for other protocols
//	defer s.Close(300 * time.Millisecond)
//
// openapi.json describes all calls.
package service
