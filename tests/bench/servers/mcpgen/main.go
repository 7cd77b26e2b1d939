// Command mcpgen is the server whose calls "make size" follows. It serves standard input and output, or
// Streamable HTTP:
//
//	mcpgen
//	mcpgen http    # prints its URL, and ends with standard input
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/bench/weather"
)

// handlers implements the tool without a use of the runtime.
type handlers struct{}

func (handlers) GetWeather(_ context.Context, in *weather.GetWeatherInput) (*weather.GetWeatherOutput, error) {
	return &weather.GetWeatherOutput{City: in.City, Sky: weather.GetWeatherOutputSkySnow, Temperature: -13.5, Wind: 12.25}, nil
}

func main() {
	server, err := weather.NewServer(handlers{}, runtime.ServerOptions{Name: "weather", Version: "1"})
	if err == nil {
		if len(os.Args) > 1 && os.Args[1] == "http" {
			err = serveHTTP(server)
		} else {
			err = stdio.Serve(context.Background(), server)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveHTTP serves HTTP at a free port until standard input ends.
func serveHTTP(server *runtime.Server) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	fmt.Printf("http://%s/mcp\n", l.Addr())
	handler := streamable.NewHandler(server, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	return streamable.Serve(ctx, l, streamable.NewServer(mux), handler)
}
