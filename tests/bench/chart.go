package main

import "io"

func (r *Report) writeChart(io.Writer) error { return nil }
