// Package architecture holds tests of what the compiler does not check: which
// package may import which, and how generated code looks.
package architecture
