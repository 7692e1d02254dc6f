variable "zones" {
  type    = list(string)
  default = ["a", "b"]
}

locals {
  name = "web-${var.stage}"
  tags = {
    owner = "ops"
    stage = var.stage
  }
}

resource "aws_instance" "web" {
  count         = length(var.zones)
  ami           = lookup(var.images, var.stage, "ami-1")
  instance_type = "t3.micro"
  security_groups = [
    aws_security_group.web.id,
    aws_security_group.ssh.id,
  ]
  lifecycle {
    ignore_changes = [ami]
  }
}
