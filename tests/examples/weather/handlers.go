package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
)

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen server --tools tools.json --out .
//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen client --tools tools.json --out client

// handlers implements the tools.
type handlers struct {
	mu        sync.Mutex
	sightings map[string]int64 // by city
}

var _ Tools = (*handlers)(nil)

// GetWeather implements the tool "get_weather".
func (h *handlers) GetWeather(ctx context.Context, in *GetWeatherInput) ([]mcp.ContentBlock, error) {
	c, err := cityNamed(in.City)
	if err != nil {
		return nil, err
	}
	slog.InfoContext(ctx, "looked up", "city", c.name)
	degrees, unit := c.days[0].high, "°C"
	if in.Units == GetWeatherInputUnitsImperial {
		degrees, unit = fahrenheit(degrees), "°F"
	}
	text := fmt.Sprintf("%s: %s, %.0f %s", c.name, c.days[0].sky, degrees, unit)
	return []mcp.ContentBlock{&mcp.TextContent{Text: text}}, nil
}

// GetForecast implements the tool "get_forecast".
func (h *handlers) GetForecast(ctx context.Context, in *GetForecastInput) (*GetForecastOutput, error) {
	c, err := cityAt(in.Place)
	if err != nil {
		return nil, err
	}
	call := runtime.CallOf(ctx)
	out := &GetForecastOutput{Place: c.name}
	for i := range in.Days {
		d := c.days[i%int64(len(c.days))]
		low, high := d.low, d.high
		if in.Units == GetForecastInputUnitsImperial {
			low, high = fahrenheit(low), fahrenheit(high)
		}
		out.Days = append(out.Days, GetForecastOutputDay{
			Date:        firstDay.AddDate(0, 0, int(i)).Format("2006-01-02"),
			Sky:         d.sky,
			Temperature: GetForecastOutputDayTemperature{Low: low, High: high},
			Rain:        d.rain,
		})
		// Progress is sent only to clients that requested it.
		if err := call.Progress(ctx, float64(i+1), new(float64(in.Days)), ""); err != nil {
			return nil, err
		}
	}
	out.Alerts = c.alerts
	return out, nil
}

// ReportSighting implements the tool "report_sighting".
func (h *handlers) ReportSighting(_ context.Context, in *ReportSightingInput) (*ReportSightingOutput, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sightings == nil {
		h.sightings = map[string]int64{}
	}
	h.sightings[in.City]++
	total := h.sightings[in.City]
	id := sha256.Sum256(fmt.Appendf(nil, "%s %d", in.City, total))
	return &ReportSightingOutput{
		ID:    fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:16]),
		Total: total,
	}, nil
}

// cityAt returns the city of a place.
func cityAt(place GetForecastInputPlace) (*city, error) {
	switch p := place.(type) {
	case *GetForecastInputCity:
		return cityNamed(p.City)
	case *GetForecastInputPosition:
		return cityNear(p.Latitude, p.Longitude), nil
	}
	return nil, errors.New("unknown kind of place") // the schema allows no other variant
}
