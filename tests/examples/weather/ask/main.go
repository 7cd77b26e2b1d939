// Command ask asks a weather server, which it starts, by the generated client:
//
//	ask COMMAND [ARGUMENT...]
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/tests/examples/weather/client"

	"github.com/mcpgen/mcpgen/generated/mcp"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: ask COMMAND [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, exec.Command(os.Args[1], os.Args[2:]...)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, server *exec.Cmd) error {
	weather, err := client.Connect(ctx, stdio.Command(server), runtime.ClientOptions{Name: "ask", Version: "1"})
	if err != nil {
		return err
	}
	defer weather.Close()

	// Is this the server that the client was generated for?
	if err := weather.Check(ctx); err != nil {
		return err
	}

	// A tool without an output schema answers with content blocks.
	blocks, err := weather.GetWeather(ctx, &client.GetWeatherInput{City: "Oslo", Units: new(client.GetWeatherInputUnitsImperial)})
	if err != nil {
		return err
	}
	for _, block := range blocks {
		if text, ok := block.(*mcp.TextContent); ok {
			fmt.Fprintln(out, text.Text)
		}
	}

	// One with an output schema has a type, and so have its alternatives.
	forecast, err := weather.GetForecast(ctx, &client.GetForecastInput{
		Place: &client.GetForecastInputPosition{Latitude: 48, Longitude: 13},
		Days:  new(int64(2)),
	})
	if err != nil {
		return err
	}
	for _, day := range forecast.Days {
		fmt.Fprintf(out, "%s %s: %s, %g to %g °C\n", forecast.Place, day.Date, day.Sky, day.Temperature.Low, day.Temperature.High)
	}
	for _, alert := range forecast.Alerts {
		switch alert := alert.(type) {
		case *client.GetForecastOutputStorm:
			fmt.Fprintf(out, "storm with gusts of %g m/s\n", alert.Gusts)
		case *client.GetForecastOutputFlood:
			fmt.Fprintf(out, "flood of the %s, level %d\n", alert.River, alert.Level)
		}
	}

	// What a tool says when it fails is an error of a type of its own.
	_, err = weather.GetWeather(ctx, &client.GetWeatherInput{City: "Atlantis"})
	if failed, ok := errors.AsType[*tools.Error](err); ok {
		fmt.Fprintf(out, "%s failed: %s\n", failed.Tool, failed.Content)
		return nil
	}
	return err
}
