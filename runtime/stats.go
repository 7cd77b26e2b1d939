package runtime

// Stats describes the current activity of a handler over HTTP. Package otelmcp reports it as metrics.
type Stats struct {
	Requests      int  // POST requests in progress, including those of subscriptions
	Sessions      int  // open sessions
	Subscriptions int  // clients that listen for notifications with subscriptions/listen
	Draining      bool // the handler is being shut down

	// Refused counts the requests that were not begun, and that clients may repeat, by the reason:
	// "in_flight", "caller" and "rate" are the limits of streamable.Load; "requests", "sessions" and "bytes"
	// those of streamable.Options; "session" is the MaxConcurrent of Limits; "draining" a shutdown.
	Refused map[string]int64
}

// Subscriptions returns how many clients listen for notifications with subscriptions/listen.
func (s *Server) Subscriptions() int { return int(s.listening.Load()) }
