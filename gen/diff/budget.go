package diff

// budget limits the steps of a comparison, so that each one ends. In a step, one schema is considered at one place.
type budget struct {
	// earlier are the steps of the questions before the current one, steps those of that one.
	earlier, steps int
}

// A question may take a part of the steps that a comparison has left, and a few in any case. The largest question of
// all comparisons of revisions takes 15,000 steps, and the largest comparison 60,000.
const (
	mostSteps   = 5_000_000
	part        = 8
	fewestSteps = 2_000
	// stepsToValidate are those of a validation.
	stepsToValidate = 20
)

// begin begins a question.
func (b *budget) begin() { b.earlier, b.steps = b.earlier+b.steps, 0 }

// spend takes steps, and reports whether the question has none left.
func (b *budget) spend(steps int) bool {
	b.steps += steps
	return b.steps > max(fewestSteps, (mostSteps-b.earlier)/part)
}

// exhausted reports whether only the fewest steps are left for each question.
func (b *budget) exhausted() bool { return b.earlier >= mostSteps }
