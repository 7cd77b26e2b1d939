package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// The weather of this example never changes.

// firstDay is its today.
var firstDay = time.Date(2025, time.November, 3, 0, 0, 0, 0, time.UTC)

type city struct {
	name                string
	latitude, longitude float64
	days                []day
	alerts              []GetForecastOutputAlertsItem
}

type day struct {
	sky       GetForecastOutputDaySky
	low, high float64 // degrees Celsius
	rain      *float64
}

var cities = []*city{
	{
		name: "Oslo", latitude: 59.91, longitude: 10.75,
		days: []day{
			{GetForecastOutputDaySkySnow, -3, 0.5, new(80.0)},
			{GetForecastOutputDaySkyClear, -8, -2, nil},
		},
		alerts: []GetForecastOutputAlertsItem{&GetForecastOutputAlertsItemStorm{Gusts: 24}},
	},
	{
		name: "Lima", latitude: -12.05, longitude: -77.04,
		days: []day{{GetForecastOutputDaySkyClouds, 16, 20, new(5.0)}},
	},
	{
		name: "Passau", latitude: 48.57, longitude: 13.46,
		days:   []day{{GetForecastOutputDaySkyRain, 4, 9, new(100.0)}},
		alerts: []GetForecastOutputAlertsItem{&GetForecastOutputAlertsItemFlood{River: "Danube", Level: 3}},
	},
}

// cityNamed finds a city; of another one the error, which a model reads, says what to
// ask for instead.
func cityNamed(name string) (*city, error) {
	var names []string
	for _, c := range cities {
		if strings.EqualFold(c.name, name) {
			return c, nil
		}
		names = append(names, c.name)
	}
	return nil, fmt.Errorf("no weather is known of %q; it is of %s", name, strings.Join(names, ", "))
}

// cityNear finds the city that is nearest, as a bird on a flat earth would fly.
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
