package main

import "slices"

// allRows are all that is measured.
func allRows() []*Row {
	return slices.Concat(
		codecRows(), inProcessRows(), stdioRows(), httpRows(), listRows(), startRows(),
		registerRows(), argumentRows(), sessionRows(), programRows(),
	)
}
