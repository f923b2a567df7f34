"""An authority of our own, and certificates that it signs for any name."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Certificates:
    folder: Path
    authority: Path
    name: x509.Name
    key: ec.EllipticCurvePrivateKey

    def of(self, name: str) -> tuple[Path, Path]:
        """Files of a certificate for this name or number, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            other: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            other = x509.DNSName(name)
        built = _builder(_named(name), self.name, key).add_extension(x509.SubjectAlternativeName([other]), False)
        built = built.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), False
        )
        return _written(self.folder / name, built.sign(self.key, hashes.SHA256()), key)


def certificates(folder: Path) -> Certificates:
    key, name = ec.generate_private_key(ec.SECP256R1()), _named("House authority")
    built = _builder(name, name, key).add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
    built = built.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    usage = x509.KeyUsage(
        digital_signature=True, content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    authority = built.add_extension(usage, True).sign(key, hashes.SHA256())
    return Certificates(folder, _written(folder / "authority", authority, key)[0], name, key)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    built = built.serial_number(x509.random_serial_number())
    return built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))


def _written(path: Path, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> tuple[Path, Path]:
    form, pem = serialization.PrivateFormat.PKCS8, serialization.Encoding.PEM
    files = path.with_name(path.name + ".crt"), path.with_name(path.name + ".key")
    files[0].write_bytes(certificate.public_bytes(pem))
    files[1].write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
    return files
