package weather

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen server --tools ../peers/tools.json --out . --package weather

// Handlers implements the tools. It has the same answer for every city.
type Handlers struct{}

var _ Tools = (*Handlers)(nil)

// GetWeather implements the tool "get_weather". It reports progress to clients that ask for it.
func (h *Handlers) GetWeather(ctx context.Context, in *GetWeatherInput) (*GetWeatherOutput, error) {
	if err := runtime.CallOf(ctx).Progress(ctx, 1, nil, ""); err != nil {
		return nil, err
	}
	out := &GetWeatherOutput{City: in.City, Sky: GetWeatherOutputSkySnow, Temperature: -13.5, Wind: 12.25}
	if in.City == peers.Nowhere {
		out.Temperature = 1000
	}
	return out, nil
}
