package tasks

// Description is the extension as the package describes it.
var Description = extension
