package diff

// RevisionsExcept is Revisions with exceptions of the test's.
var RevisionsExcept = revisions
