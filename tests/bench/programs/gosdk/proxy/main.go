// Program proxy stands between a client and a server and forwards messages. It decodes and
// encodes each of them, which changes some.
package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func forward(ctx context.Context, to, from mcp.Connection, ended chan<- error) {
	for {
		message, err := from.Read(ctx)
		if err == nil {
			err = to.Write(ctx, message)
		}
		if err != nil {
			ended <- err
			return
		}
	}
}

func main() {
	ctx := context.Background()
	front, err := (&mcp.StdioTransport{}).Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	back, err := (&mcp.CommandTransport{Command: exec.Command(os.Args[1], os.Args[2:]...)}).Connect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer back.Close()
	ended := make(chan error, 2)
	go forward(ctx, back, front, ended)
	go forward(ctx, front, back, ended)
	if err := <-ended; !errors.Is(err, io.EOF) {
		log.Print(err)
	}
}
