package python

// atom reads the smallest operand: a name, a literal, or an expression in brackets.
func (p *parser) atom() expr {
	switch t := p.next(); t.kind {
	case number:
		return expr{}
	case text:
		p.at--
		p.strings()
		return expr{}
	case name:
		switch t.value {
		case "None", "True", "False":
			return expr{}
		}
		if keywords[t.value] {
			fail()
		}
		return expr{target: true, single: true, name: t.value}
	case sign:
		switch t.value {
		case "...":
			return expr{}
		case "(":
			return p.parenthesis()
		case "[":
			return p.elements()
		case "{":
			p.braces()
			return expr{}
		}
	}
	fail()
	return expr{}
}

// strings reads adjacent strings, with the expressions in them.
func (p *parser) strings() {
	bytes := p.peek().value
	for p.peek().kind == text {
		if p.next().value != bytes {
			fail()
		}
		for p.peek().kind == opening {
			p.filled()
		}
	}
}

// filled reads an expression in a string, and those in its format.
func (p *parser) filled() {
	p.next()
	if p.is("yield") {
		p.yield()
	} else {
		p.list(func() { p.item(true) })
	}
	p.accept("=")
	p.want(closing)
}

func (p *parser) parenthesis() expr {
	switch {
	case p.accept(")"):
		return expr{target: true}
	case p.is("yield"):
		p.yield()
		p.expect(")")
		return expr{}
	}
	out := p.item(true)
	p.bound()
	if p.is("for", "async") {
		p.comprehension()
		p.expect(")")
		return expr{}
	}
	if p.accept(")") {
		if out.starred && !p.pattern {
			fail()
		}
		out.name = ""
		return out
	}
	return p.rest(out, ")")
}

// rest reads the other elements of a tuple or list.
func (p *parser) rest(out expr, until string) expr {
	out.single, out.name = false, ""
	for !p.accept(until) {
		if p.expect(","); p.accept(until) {
			break
		}
		e := p.item(true)
		p.bound()
		out.target = out.target && e.target
	}
	return expr{target: out.target}
}

func (p *parser) elements() expr {
	if p.accept("]") {
		return expr{target: true}
	}
	out := p.item(true)
	p.bound()
	if p.is("for", "async") {
		p.comprehension()
		p.expect("]")
		return expr{}
	}
	return p.rest(out, "]")
}

// braces reads a dictionary or a set.
func (p *parser) braces() {
	dict, set := false, false
	for n := 0; !p.accept("}"); n++ {
		if p.accept("**") {
			dict = true
			p.operation()
		} else {
			e := p.item(true)
			if p.bound(); p.accept(":") {
				if dict = true; e.starred {
					fail()
				}
				p.expression()
				p.bound()
			} else {
				set = true
			}
			if p.is("for", "async") {
				if p.comprehension(); n > 0 || !p.is("}") {
					fail()
				}
			}
		}
		if dict && set || !p.accept(",") && !p.is("}") {
			fail()
		}
	}
}
