package python

// statement reads a statement, or several in a line.
func (p *parser) statement() {
	defer p.deeper()()
	t := p.peek()
	if t.kind == sign && t.value == "@" {
		p.decorated()
		return
	}
	if t.kind == name {
		switch t.value {
		case "if", "while", "for", "try", "with", "def", "class", "async":
			p.compound()
			return
		case "match":
			if p.match() {
				return
			}
		}
	}
	p.line()
}

// line reads statements without blocks up to the end of the line.
func (p *parser) line() {
	for {
		p.simple()
		if !p.accept(";") || p.peek().kind == newline {
			break
		}
	}
	p.want(newline)
}

// block reads the block after a colon.
func (p *parser) block() {
	p.expect(":")
	if p.peek().kind != newline {
		p.line()
		return
	}
	p.next()
	p.want(indent)
	for p.peek().kind != dedent {
		p.statement()
	}
	p.next()
}

// body reads a block in another scope.
func (p *parser) body(s scope) {
	outer := p.scope
	p.scope = s
	p.block()
	p.scope = outer
}

func (p *parser) loop() {
	inner := p.scope
	inner.loop = true
	p.body(inner)
	p.orElse()
}

func (p *parser) orElse() {
	if p.accept("else") {
		p.block()
	}
}

func (p *parser) decorated() {
	for p.accept("@") {
		p.named()
		p.want(newline)
	}
	if !p.is("def", "class", "async") || p.is("async") && p.tokens[p.at+1].value != "def" {
		fail()
	}
	p.compound()
}

func (p *parser) compound() {
	word := p.next().value
	async := word == "async"
	if async {
		if word = p.next().value; word != "def" && word != "for" && word != "with" || word != "def" && !p.async {
			fail()
		}
	}
	switch word {
	case "if":
		p.named()
		p.block()
		for p.accept("elif") {
			p.named()
			p.block()
		}
		p.orElse()
	case "while":
		p.named()
		p.loop()
	case "for":
		p.targets()
		p.expect("in")
		p.expressions()
		p.loop()
	case "try":
		p.try()
	case "with":
		p.with()
	case "def":
		p.name()
		p.typeParameters()
		p.expect("(")
		p.parameters(")", true)
		p.expect(")")
		if p.accept("->") {
			p.expressions()
		}
		p.body(scope{function: true, async: async})
	case "class":
		p.name()
		p.typeParameters()
		if p.accept("(") {
			p.arguments()
		}
		p.body(scope{class: true})
	}
}

func (p *parser) try() {
	p.block()
	handlers, bare := 0, false
	for p.accept("except") {
		if handlers++; bare {
			fail()
		}
		p.accept("*")
		if bare = p.is(":"); !bare {
			p.expressions()
			if p.accept("as") {
				p.name()
			}
		}
		p.block()
	}
	if handlers > 0 {
		p.orElse()
	}
	if p.accept("finally") {
		p.block()
	} else if handlers == 0 {
		fail()
	}
}

func (p *parser) with() {
	item := func() {
		p.expression()
		if p.accept("as") {
			p.target()
		}
	}
	if !p.is("(") || !p.attempt(func() {
		p.next()
		for item(); p.accept(",") && !p.is(")"); {
			item()
		}
		p.expect(")")
		if !p.is(":") {
			fail()
		}
	}) {
		for item(); p.accept(","); {
			item()
		}
	}
	p.block()
}

// match reads a match statement. It returns false if the word is a name here.
func (p *parser) match() bool {
	if !p.attempt(func() {
		p.next()
		p.list(func() { p.item(true) })
		p.expect(":")
		p.want(newline)
		p.want(indent)
		if !p.is("case") {
			fail()
		}
	}) {
		return false
	}
	for p.accept("case") {
		p.pattern = true
		p.list(func() {
			p.item(true)
			if p.accept("as") {
				p.name()
			}
		})
		if p.pattern = false; p.accept("if") {
			p.named()
		}
		p.block()
	}
	p.want(dedent)
	return true
}

func (p *parser) typeParameters() {
	if !p.accept("[") {
		return
	}
	for !p.accept("]") {
		if !p.accept("*") {
			p.accept("**")
		}
		if p.name(); p.accept(":") {
			p.expression()
		}
		if p.accept("=") {
			p.item(false)
		}
		if !p.accept(",") && !p.is("]") {
			fail()
		}
	}
}

// parameters reads the parameters of a function up to a sign, with types if it has brackets.
func (p *parser) parameters(until string, typed bool) {
	seen := map[string]bool{}
	defaults, star, slash := false, false, false
	parameter := func(many bool) {
		n := p.name()
		if seen[n] {
			fail()
		}
		if seen[n] = true; typed && p.accept(":") {
			p.item(many)
		}
	}
	for !p.is(until) {
		switch {
		case p.accept("**"):
			parameter(false)
			p.accept(",")
			if !p.is(until) {
				fail()
			}
			return
		case p.accept("*"):
			if star {
				fail()
			}
			if star = true; !p.is(",") {
				parameter(true)
			} else if p.tokens[p.at+1].kind != name {
				fail() // names must follow
			}
		case p.accept("/"):
			if star || slash || len(seen) == 0 {
				fail()
			}
			slash = true
		default:
			parameter(false)
			switch {
			case p.accept("="):
				defaults = true
				p.expression()
			case defaults && !star:
				fail()
			}
		}
		if !p.accept(",") && !p.is(until) {
			fail()
		}
	}
}
