// Package architecture tests rules that the compiler does not check: which package may import
// which, and the form of generated code.
package architecture
