package glob

import "testing"

func TestALiteralMatchesItsNameAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app/[id]/page.tsx", "a{b,c}/d", `back\slash`, "star*", "why?", "plain/file.go", "ü/ö"} {
		p := Literal(name)
		if !Valid(p) || !Match(p, name) {
			t.Errorf("%q does not match %q", p, name)
		}
		if Match(p, name+"x") || Match(Literal("app/[id]"), "app/i") {
			t.Errorf("%q matches more than %q", p, name)
		}
		if !Any([]string{p + "/**"}, name+"/x.go") {
			t.Errorf("the folder %q does not match below %q", p, name)
		}
	}
}
