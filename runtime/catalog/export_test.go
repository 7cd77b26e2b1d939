package catalog

// Kept counts what the catalog keeps of sessions.
func (c *Catalog) Kept() int {
	n := int(c.open.Load())
	c.sessions.Range(func(any, any) bool { n++; return true })
	c.subscribers.mu.Lock()
	defer c.subscribers.mu.Unlock()
	return n + len(c.subscribers.byURI)
}
