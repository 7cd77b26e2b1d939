package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The weather of this example never changes.

// firstDay is the current day of the example.
var firstDay = time.Date(2025, time.November, 3, 0, 0, 0, 0, time.UTC)

type city struct {
	name                string
	latitude, longitude float64
	days                []day
	alerts              []GetForecastOutputAlert
}

type day struct {
	sky       GetForecastOutputDaySky
	low, high float64 // in degrees Celsius
	rain      *float64
}

var cities = []*city{
	{
		name: "Oslo", latitude: 59.91, longitude: 10.75,
		days: []day{
			{GetForecastOutputDaySkySnow, -3, 0.5, new(80.0)},
			{GetForecastOutputDaySkyClear, -8, -2, nil},
		},
		alerts: []GetForecastOutputAlert{&GetForecastOutputStorm{Gusts: 24}},
	},
	{
		name: "Lima", latitude: -12.05, longitude: -77.04,
		days: []day{{GetForecastOutputDaySkyClouds, 16, 20, new(5.0)}},
	},
	{
		name: "Passau", latitude: 48.57, longitude: 13.46,
		days:   []day{{GetForecastOutputDaySkyRain, 4, 9, new(100.0)}},
		alerts: []GetForecastOutputAlert{&GetForecastOutputFlood{River: "Danube", Level: 3}},
	},
}

// cityNamed returns a city. The error for an unknown city lists the known ones, because a model
// reads it.
func cityNamed(name string) (*city, error) {
	var names []string
	for _, c := range cities {
		if strings.EqualFold(c.name, name) {
			return c, nil
		}
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("no weather for %q; the cities are %s", name, strings.Join(names, ", "))
}

// cityNear returns the nearest city by distance on a flat map.
func cityNear(latitude, longitude float64) *city {
	var nearest *city
	best := math.Inf(1)
	for _, c := range cities {
		if d := math.Hypot(c.latitude-latitude, c.longitude-longitude); d < best {
			nearest, best = c, d
		}
	}
	return nearest
}

func fahrenheit(celsius float64) float64 { return celsius*9/5 + 32 }
