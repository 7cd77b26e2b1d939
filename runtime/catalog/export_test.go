package catalog

// Kept counts what the catalog keeps of sessions.
func (c *Catalog) Kept() int {
	n := 0
	c.limiters.Range(func(any, any) bool { n++; return true })
	return n
}
