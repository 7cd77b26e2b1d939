//go:build unix

package hostile

import "syscall"

// openFiles is how many files a process may have open. Go has raised that as far as it may.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<20))
}
