// Package bench compares generated code with other libraries on the same data.
package bench
