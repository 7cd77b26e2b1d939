package main

import "slices"

// allRows returns all rows.
func allRows() []*Row {
	return slices.Concat(
		codecRows(), inProcessRows(), stdioRows(), httpRows(), authRows(), sealedRows(), statelessRows(), listRows(), startRows(),
		registerRows(), argumentRows(), sessionRows(), programRows(),
	)
}
