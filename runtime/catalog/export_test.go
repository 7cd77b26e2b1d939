package catalog

// Kept counts what the catalog keeps of sessions.
func (c *Catalog) Kept() int {
	n := int(c.open.Load())
	c.sessions.Range(func(any, any) bool { n++; return true })
	c.watched.mu.Lock()
	defer c.watched.mu.Unlock()
	return n + len(c.watched.byURI) + len(c.watched.bySession)
}
