//go:build unix

package hostile

import "syscall"

// openFiles returns how many files a process may have open. Go raises that limit as far as
// possible.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<20))
}
