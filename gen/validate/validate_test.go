package validate_test

import (
	"bytes"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/validate"
)

func TestEmit(t *testing.T) {
	const text = `[{"name":"a","inputSchema":{"type":"object","required":["city","days"],"additionalProperties":false,"properties":{
		"city":{"type":"string","minLength":1},
		"days":{"type":"integer","minimum":1,"maximum":14},
		"units":{"enum":["metric","imperial"]},
		"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":3},
		"near":{"$ref":"#/$defs/place"},
		"who":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"re":{"type":"string","pattern":"^a"}},
		"patternProperties":{"^x-":{"type":"string"}},
		"$defs":{"place":{"type":"object","properties":{"lat":{"type":"number"},"in":{"$ref":"#/$defs/place"}}}}}}]`
	list, err := tools.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f := jen.NewFile("p")
	if err := validate.Emit(f, []validate.Root{{"checkAInput", list.Tools[0].Input}}); err != nil {
		t.Fatal(err)
	}
	var src bytes.Buffer
	if err := f.Render(&src); err != nil {
		t.Fatal(err)
	}
	t.Log(src.String())
}
