//go:build !unix

package hostile

// openFiles is an estimate of how many files a process may have open.
func openFiles() int { return 1 << 10 }
