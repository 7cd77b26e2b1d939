package runtime

// Audience returns how many clients get what the server publishes, and how many resources have subscribers.
func (s *Server) Audience() int {
	s.audience.mu.Lock()
	defer s.audience.mu.Unlock()
	return len(s.audience.sessions) + len(s.audience.listeners) + len(s.audience.subscribers)
}
