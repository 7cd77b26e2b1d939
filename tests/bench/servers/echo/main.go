// Command echo answers each line on its standard input with a line of 240 bytes.
package main

import (
	"bufio"
	"os"
	"strings"
)

func main() {
	answer := []byte(strings.Repeat("x", 239) + "\n")
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			return
		}
		if _, err := os.Stdout.Write(answer); err != nil {
			return
		}
	}
}
