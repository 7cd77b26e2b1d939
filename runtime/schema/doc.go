// Package schema validates JSON texts. The check functions that mcpgen generates from JSON
// Schemas call it.
//
// A check function checks the next value of a [Checker], reports every rule of its schema
// that the value violates, and moves past the value:
//
//	func checkForecast(c *schema.Checker) {
//		if !c.Object(schema.Object) {
//			return
//		}
//		var seen uint64
//		for c.Member() {
//			switch c.Name() {
//			case "city":
//				seen |= 1
//				c.MinLength(c.Value(schema.String), 1)
//			default:
//				c.Pass()
//			}
//		}
//		if seen != 1 {
//			c.Missing([]string{"city"}, seen)
//		}
//	}
//
// Validation works on the text, before it is decoded, and follows JSON Schema (drafts 07
// and 2020-12) exactly: numbers are compared as written, beyond the range of int64 and
// float64; lengths are in code points; values are equal if they are the same JSON. The
// bounds and constants of a schema are passed as JSON text too.
//
// A valid value is checked without allocating, except for strings with escapes whose
// decoded form matters. The work that a value can cause in a schema with alternatives is
// bounded in proportion to its length; a value that exceeds the bound is rejected. The text
// must be well-formed JSON, which package wire ensures when it reads a message. For any
// other text the verdict is meaningless.
package schema
