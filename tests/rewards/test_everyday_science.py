"""Answers of science as models write them: quantities, letters, words, molecules.

One line a case: + (must pass) or - (must not), gold, response, and the problem where it counts.
"""

from __future__ import annotations

from tests.rewards.tables import is_judged_as_its_line_says
from tests.tables import each

NUMBERS = r"""
+ 1945 ¦ \boxed{1945}
- 1945 ¦ \boxed{1950}
- 118 ¦ The answer is 119.
- 300 ¦ Answer: 301
- 2024 ¦ \boxed{2030}
- 1,000 ¦ \boxed{1001}
- -100 ¦ \boxed{-100.5}
- 118 ¦ \boxed{118.4}
+ 118 ¦ \boxed{118.0}
- 118 ¦ \boxed{119 = 118}
- 100 eggs ¦ \boxed{101 eggs}
- 118 K ¦ \boxed{119 K}
+ 118 K ¦ \boxed{118.4 K}
+ 300 K ¦ \boxed{301 K}
- 300 K ¦ \boxed{304 K}
+ 4900 J ¦ \boxed{4905 J}
+ 490 N ¦ \boxed{490.5 N}
- 1945 K ¦ \boxed{1950 K}
+ 300.0 ¦ \boxed{301}
+ 3e8 ¦ \boxed{2.998e8}
+ 9.8 m/s^2 ¦ The acceleration is 980 cm/s^2.
- 9.8 m/s^2 ¦ The acceleration is 980 m/s^2.
+ 4.76 ¦ The pKa is approximately 4.76.
- 4.76 ¦ The pKa is between 4.7 and 4.8.
- 9.8 m/s^2 ¦ The acceleration is 9.8 m/s^2 or 9.9 m/s^2.
- 9.8 m/s^2 ¦ The speed is 9.8 m/s^2. Hmm, but checking again gives 19 m/s^2.
+ 9.8 m/s^2 ¦ 加速度为 \boxed{9.8} m/s²。
+ 5 kg·m/s² ¦ \boxed{5 N}
+ 5 N ¦ \boxed{5 kg·m/s²}
+ 5 N ¦ \boxed{5\ kg\cdot m/s^2}
+ 5 N ¦ \boxed{5\ \mathrm{kg\cdot m/s^2}}
+ 5 N ¦ \boxed{5\ \text{kg} \cdot \text{m/s}^2}
+ 5 N ¦ \boxed{5\ \text{kg}\cdot\text{m}/\text{s}^2}
+ 5 N ¦ \boxed{5\ \text{kg} \cdot \frac{\text{m}}{\text{s}^2}}
+ 5 m/s² ¦ \boxed{5\,\mathrm{m\,s^{-2}}}
+ 5 m/s² ¦ \boxed{5\,\mathrm{m\cdot s^{-2}}}
+ 5 m/s² ¦ \boxed{5 \frac{m}{s^2}}
+ 5 m/s² ¦ \boxed{5\ \frac{\text{m}}{\text{s}^2}}
+ 4.18 J/g°C ¦ \boxed{4.18 J/(g·°C)}
+ 4.18 J/g°C ¦ \boxed{4.18\ \text{J/(g}\cdot{}^\circ\text{C)}}
+ 4.18 J/(g·K) ¦ \boxed{4.18 J/g°C}
+ 4.18 J/(g·°C) ¦ \boxed{4.18\ \mathrm{J\,g^{-1}\,^\circ C^{-1}}}
+ 4.18 J/(g·°C) ¦ \boxed{4.18\ \mathrm{J/(g\,K)}}
+ 4.18 J/(g·°C) ¦ \boxed{4180\ \mathrm{J/(kg\,K)}}
- 4.18 J/(g·°C) ¦ \boxed{4.18\ \mathrm{J/(kg\,K)}}
+ 1 year ¦ \boxed{365 days}
+ 1 year ¦ \boxed{12 months}
+ 1 year ¦ \boxed{3.156\times 10^7 s}
- 1 year ¦ \boxed{350 days}
+ 9.8 m/s^2 ¦ \boxed{9.8\ \text{m/s}^2}
+ 9.8 m/s^2 ¦ \boxed{9.8 \, \mathrm{m/s^{2}}}
+ 9.8 m/s^2 ¦ \boxed{9.8\,\text{m}\,\text{s}^{-2}}
+ 9.8 m/s^2 ¦ \boxed{9.8\,\mathrm{m\,s}^{-2}}
+ 9.8 m/s^2 ¦ \boxed{9.8~\text{m/s}^{2}}
+ 9.8 m/s^2 ¦ $a \approx \boxed{9.8 \text{ N/kg}}$
+ 9.8 m/s^2 ¦ \boxed{9.8} m/s²
- 9.8 m/s^2 ¦ \boxed{9.8} m/s
- 9.8 m/s^2 ¦ \boxed{98}
- 9.8 m/s^2 ¦ \boxed{-9.8 \text{ m/s}^2}
+ 1.6e-19 C ¦ \boxed{1.6 \times 10^{-19} \text{ C}}
+ 1.6e-19 C ¦ \boxed{1.602 \times 10^{-19}\,\mathrm{C}}
- 1.6e-19 C ¦ \boxed{1.6 \times 10^{19} \text{ C}}
+ 6.626e-34 J s ¦ \boxed{6.63 \times 10^{-34} \text{ J·s}}
+ 6.626e-34 J s ¦ \boxed{6.626\times10^{-34}\ \text{J}\cdot\text{s}}
+ 6.626e-34 J s ¦ \boxed{6.626\times10^{-34}\ \mathrm{J \cdot s}}
+ 6.67e-11 N m^2/kg^2 ¦ \boxed{6.674 \times 10^{-11}\ \text{N·m}^2/\text{kg}^2}
+ 6.67e-11 N m^2/kg^2 ¦ \boxed{6.674\times10^{-11}\ \mathrm{m^3\,kg^{-1}\,s^{-2}}}
+ 0.0821 L atm/(mol K) ¦ \boxed{0.0821\ \text{L·atm/(mol·K)}}
+ 0.0821 L atm/(mol K) ¦ \boxed{0.0821\ \mathrm{L\,atm\,mol^{-1}\,K^{-1}}}
+ 0.0821 L atm/(mol K) ¦ \boxed{0.0821\ \frac{\text{L} \cdot \text{atm}}{\text{mol} \cdot \text{K}}}
+ 0.0821 L atm/(mol K) ¦ \boxed{8.32\ \text{J/(mol K)}}
+ 4.184 J/(g °C) ¦ \boxed{4.184\ \text{J/g}^\circ\text{C}}
+ 4.184 J/(g °C) ¦ \boxed{4.184\ \text{J g}^{-1}\,{}^{\circ}\text{C}^{-1}}
+ 4.184 J/(g °C) ¦ \boxed{4.184\ \frac{\text{J}}{\text{g}\cdot^\circ\text{C}}}
+ 4.184 J/(g °C) ¦ \boxed{1 cal/(g °C)}
+ 37 °C ¦ \boxed{37\,^{\circ}\mathrm{C}}
+ 37 °C ¦ \boxed{37 \degree C}
+ 37 °C ¦ \boxed{37 degrees Celsius}
+ 37 °C ¦ \boxed{98.6 ^\circ F}
+ 37 °C ¦ \boxed{310.15\text{ K}}
- 37 °C ¦ \boxed{37\text{ K}}
- 37 °C ¦ \boxed{37 ^\circ F}
+ 22.4 L/mol ¦ \boxed{22.4\ \text{L}\,\text{mol}^{-1}}
+ 18 g/mol ¦ \boxed{18.02\ \text{g/mol}}
+ 18 g/mol ¦ \boxed{18.02\ \text{g mol}^{-1}}
- 18 g/mol ¦ \boxed{18\ \text{kg/mol}}
+ -285.8 kJ/mol ¦ $\Delta H = \boxed{-285.8\ \text{kJ/mol}}$
+ -285.8 kJ/mol ¦ $\Delta H^\circ = -285.8$ kJ/mol⏎⏎\boxed{-285.8}
- -285.8 kJ/mol ¦ $\Delta H = \boxed{285.8\ \text{kJ/mol}}$
- -285.8 kJ/mol ¦ \boxed{-285800}
+ -285.8 kJ/mol ¦ \boxed{-285{,}800\ \text{J/mol}}
+ -285.8 kJ/mol ¦ \boxed{-68.3\ \text{kcal/mol}}
+ 0.059 V ¦ \boxed{59\ \text{mV}}
+ 1.10 V ¦ $E^\circ_{cell} = \boxed{+1.10\ \text{V}}$
+ 7.0 ¦ pH = \boxed{7.00}
+ 7.0 ¦ \boxed{\text{pH} = 7.00}
+ 7.0 ¦ \boxed{pH \approx 7.00}
+ 4.76 ¦ The pKa is approximately 4.76.⏎⏎Answer: pKa ≈ 4.76
+ 1.8e-5 ¦ $K_a = \boxed{1.8 \times 10^{-5}}$
+ 1.8e-5 ¦ \boxed{K_a = 1.8 \times 10^{-5}}
+ 1.8e-5 ¦ \boxed{1.8\cdot 10^{-5}}
+ 1.8e-5 ¦ \boxed{1.8E-5}
- 1.8e-5 ¦ \boxed{1.8 \times 10^{-4}}
+ 0.10 M ¦ \boxed{0.10\ \text{mol/L}}
+ 0.10 M ¦ \boxed{0.10\ \text{mol dm}^{-3}}
+ 0.10 M ¦ \boxed{100\ \text{mM}}
+ 0.10 M ¦ \boxed{0.10\ \text{molar}}
+ 101.3 kPa ¦ \boxed{1\ \text{atm}}
+ 101.3 kPa ¦ \boxed{760\ \text{mmHg}}
+ 101.3 kPa ¦ \boxed{760\ \text{mm Hg}}
+ 101.3 kPa ¦ \boxed{760\ \text{torr}}
+ 101.3 kPa ¦ \boxed{1.013 \times 10^5\ \text{Pa}}
+ 101.3 kPa ¦ \boxed{14.7\ \text{psi}}
+ 3.0e8 m/s ¦ \boxed{3 \times 10^{8}\ \text{m s}^{-1}}
+ 3.0e8 m/s ¦ \boxed{3 \times 10^{5}\ \text{km/s}}
- 3.0e8 m/s ¦ \boxed{3 \times 10^{5}}
- 3.0e8 m/s ¦ \boxed{c}
+ 500 nm ¦ \boxed{5.0 \times 10^{-7}\ \text{m}}
+ 500 nm ¦ \boxed{5000\ \text{Å}}
+ 500 nm ¦ \boxed{0.5\ \mu\mathrm{m}}
- 500 nm ¦ \boxed{500\ \mathrm{pm}}
+ 13.6 eV ¦ \boxed{2.18 \times 10^{-18}\ \text{J}}
- 13.6 eV ¦ \boxed{-13.6\ \text{eV}}
+ 0.511 MeV/c^2 ¦ \boxed{0.511\ \text{MeV}/c^2}
+ 1.5 kg m^2 ¦ \boxed{1.5\ \text{kg} \cdot \text{m}^2}
+ 1.5 kg m^2 ¦ \boxed{1.5\ \text{kg·m}^2}
+ 2.5 rad/s ¦ \boxed{2.5\ \text{rad/s}}
- 2.5 rad/s ¦ \boxed{2.5\ \text{s}^{-1}}
+ 50 N ¦ The force is **50 N**.⏎⏎**Answer: 50 N**
+ 50 N ¦ \boxed{50\ \text{newtons}}
+ 50 N ¦ \boxed{F = 50\ \text{N}}
+ 50 N ¦ \boxed{50 \text{ N}} to the left
- 50 N ¦ \boxed{50 \text{ N or } 60 \text{ N}}
- 50 N ¦ \boxed{50 \text{ J}}
- 50 N ¦ between 40 and 60 N
- 50 N ¦ \boxed{40\text{–}60 \text{ N}}
- 50 N ¦ \boxed{50 \pm 10 \text{ N}}
+ 50 N ¦ \boxed{\approx 50\ \text{N}}
+ 50 N ¦ \boxed{\sim 50\ \text{N}}
- 50 N ¦ \boxed{> 50\ \text{N}}
+ 1 year ¦ \boxed{365.25 \text{ days}}
+ 5730 years ¦ The half-life is \boxed{5730} years.
+ 5730 years ¦ \boxed{5.73 \times 10^3\ \text{yr}}
+ 5730 years ¦ \boxed{1.81 \times 10^{11}\ \text{s}}
+ 24 h ¦ \boxed{1\ \text{day}}
+ 24 h ¦ \boxed{24\ \text{hr}}
+ 3 ¦ There are \boxed{3} signals in the spectrum.
+ 3 ¦ \boxed{\text{3}}
+ 75% ¦ \boxed{75\%}
+ 75% ¦ \boxed{0.75}
+ 75% ¦ \boxed{\frac{3}{4}}
+ 75% ¦ \boxed{75 \text{ percent}}
+ 1.2 g/mL ¦ \boxed{1.2\ \text{g/cm}^3}
+ 1.2 g/mL ¦ \boxed{1200\ \text{kg/m}^3}
+ 1.2 g/mL ¦ \boxed{1200\ \frac{\text{kg}}{\text{m}^3}}
+ 1.2 g/mL ¦ \boxed{1200\ \frac{kg}{m^3}}
- 1.2 g/mL ¦ \boxed{1.2\ \frac{kg}{m^3}}
+ 8.85e-12 F/m ¦ \boxed{8.85\times 10^{-12}\ \mathrm{C^2/(N\cdot m^2)}}
+ 8.85e-12 F/m ¦ \boxed{8.85\times 10^{-12}\ \mathrm{F\,m^{-1}}}
+ 5.67e-8 W/(m^2 K^4) ¦ \boxed{5.67\times10^{-8}\ \mathrm{W\,m^{-2}\,K^{-4}}}
+ 5.67e-8 W/(m^2 K^4) ¦ \boxed{5.67\times10^{-8}\ \text{W/m}^2\text{K}^4}
+ 40 km/h ¦ \boxed{11.1\ \text{m/s}}
+ 40 km/h ¦ \boxed{40\ \text{km/hr}}
+ 40 km/h ¦ \boxed{40\ \text{kilometers per hour}}
+ 40 km/h ¦ \boxed{40\ \text{km h}^{-1}}
+ 2 \sqrt{2} m ¦ \boxed{2\sqrt{2}\ \text{m}}
+ 2.83 m ¦ \boxed{2\sqrt{2}\ \text{m}}
+ 20 dB ¦ \boxed{20\ \text{dB}}
- 20 dB ¦ \boxed{20\ \text{Pa}}
+ 10 Ω ¦ \boxed{10\ \Omega}
+ 10 Ω ¦ \boxed{10\,\text{ohms}}
+ 10 kΩ ¦ \boxed{10\ \text{k}\Omega}
- 10 kΩ ¦ \boxed{10\ \Omega}
+ 3 μF ¦ \boxed{3\ \mu\text{F}}
+ 3 μF ¦ \boxed{3\ \mu F}
+ 3 μF ¦ \boxed{3 \times 10^{-6}\ \text{F}}
- 5 N ¦ \boxed{F = 5 N = 6 N}
- 5 N ¦ \boxed{6 N = 5 N}
+ 5 N ¦ \boxed{F = ma = 5\ \text{N}}
+ 5 N ¦ \boxed{F = 2.5 \times 2 = 5\ \text{N}}
- 5 N ¦ \boxed{F = 5 N, 6 N}
- 5 N ¦ \boxed{5 N \approx 6 N}
- 5 N ¦ \boxed{\text{not } = 5 N}
- 5 N ¦ \boxed{\text{anything but} = 5 N}
- 5 J/(g K) ¦ \boxed{5 J/(g °F)}
+ 5 J/(g K) ¦ \boxed{2.78 J/(g °F)}
+ 5 °C ¦ \boxed{41 °F}
- 5 m ¦ \boxed{5 \frac{m}{s}}
- 5 m/s ¦ \boxed{5 \frac{s}{m}}
- 5 m/s ¦ \boxed{5\,\mathrm{m\,s^{-2}}}
- 5 m/s ¦ \boxed{5\,\mathrm{m\,s}}
- 5 W ¦ \boxed{5\ \text{J} \cdot \text{s}}
+ 1 month ¦ \boxed{\frac{1}{12} year}
- 1 year ¦ \boxed{1 month}
+ 938 MeV/c^2 ¦ \boxed{1.672 \times 10^{-27}\ \text{kg}}
- 938 MeV/c^2 ¦ \boxed{938\ \text{MeV}}
- 938 MeV ¦ \boxed{938\ \text{MeV}/c^2}
+ 5 m/s ¦ \boxed{v_{\text{max}} = 5\ \text{m/s}}
+ 1.10 V ¦ \boxed{E^\circ_{\text{cell}} = 1.10\text{ V}}
+ -5 kJ/mol ¦ \boxed{\Delta G^\circ = -5\text{ kJ/mol}}
+ 500 nm ¦ \boxed{\lambda = 500\text{ nm}}
+ 500 nm ¦ \boxed{\lambda \approx 500\text{ nm}}
- 500 nm ¦ \boxed{2\lambda = 500\text{ nm}}
- 25 ¦ \boxed{v^2 = 25}
- 25 ¦ \boxed{\neq 25}
- 25 ¦ \boxed{x \neq 25}
+ 1.8e-5 ¦ \boxed{K_{\text{a}} = 1.8 \times 10^{-5}}
+ 1.8e-5 ¦ \boxed{K_{sp} = 1.8 \times 10^{-5}}
- 5 N ¦ \boxed{5 \text{ N}} or \boxed{6 \text{ N}}
- 5 N ¦ \boxed{5 \text{ N}} and \boxed{6 \text{ N}}
- 5 N ¦ \boxed{x > 5 N}
- 5 N ¦ \boxed{5 N \cdot 5 N}
- 5 m ¦ \boxed{5 m, 5 s}
- 5 m ¦ \boxed{5 \text{ m or ft}}
+ 5 m/s ¦ \boxed{5\ \tfrac{\text{m}}{\text{s}}}
- 300 K ¦ \boxed{300 °C}
- 3 m ¦ \boxed{3 \mu m}
- 3 mm ¦ \boxed{3 Mm}
- 8 kΩ ¦ \boxed{8 M\Omega}
+ 8 MΩ ¦ \boxed{8\ \text{M}\Omega}
+ 1 h ¦ \boxed{3600\ s}
+ 1 day ¦ \boxed{1440 \text{ min}}
- 5 mol ¦ \boxed{5\ \text{molar}}
+ 1e5 Pa ¦ \boxed{10^5\text{ Pa}}
+ 1e5 ¦ \boxed{10^{5}}
+ 1e5 ¦ \boxed{100,000}
+ 1e5 ¦ \boxed{10^5 \approx 100000}
+ 0.5 ¦ \boxed{\frac{1}{2}}
+ 0.5 ¦ \boxed{50\%}
+ -1.6 ¦ \boxed{-1.60}
- -1.6 ¦ \boxed{1.60}
- 100 g ¦ \boxed{100 kg}
+ 1.41 m ¦ \boxed{d = \sqrt{2}\text{ m} \approx 1.41\text{ m}}
- 1.41 m ¦ \boxed{d = \sqrt{3}\text{ m} \approx 1.41\text{ m}}
+ 0.35 ¦ The probability is about **0.35**.⏎⏎\boxed{0.35}
+ 350 J ¦ \boxed{3.5 \times 10^2 \; \text{J}}
+ 350 J ¦ \boxed{350~\mathrm{J}}
+ 350 J ¦ The work done is $W = \boxed{350}$ J.
+ 350 J ¦ $W = 350\,\text{J}$⏎⏎**Answer:** 350 J
+ 350 J ¦ \boxed{350 \text{ Joules}}
+ 350 J ¦ Answer: approximately 350 J
+ 350 J ¦ **Answer: ≈ 350 J**
- 350 J ¦ **Answer: ≈ 35 J**
+ 350 J ¦ \boxed{0.35\ \text{kJ}}
+ 350 J ¦ \boxed{350\ \text{N}\cdot\text{m}}
+ 350 J ¦ \boxed{350\ \text{N·m}}
+ 350 J ¦ \boxed{350\,\mathrm{kg\,m^2\,s^{-2}}}
+ 350 J ¦ \boxed{350\,\mathrm{kg\,m^2/s^2}}
+ 350 J ¦ \boxed{350\,\frac{\mathrm{kg}\,\mathrm{m}^2}{\mathrm{s}^2}}
+ 350 J ¦ \boxed{+350 J}
- 350 J ¦ \boxed{350 \text{ J/s}}
+ 2.0 mol/L ¦ \boxed{2.0\,\mathrm{mol\,L^{-1}}}
+ 2.0 mol/L ¦ \boxed{2.0\,\mathrm{mol\cdot L^{-1}}}
+ 2.0 mol/L ¦ \boxed{2.0\ M}
+ 9.65e4 C/mol ¦ \boxed{96485\ \text{C/mol}}
+ 9.65e4 C/mol ¦ \boxed{96,485\ \text{C mol}^{-1}}
+ 2.2e-18 J ¦ \boxed{2.18e-18 J}
+ 2.2e-18 J ¦ \boxed{2.18 x 10^-18 J}
+ 2.2e-18 J ¦ \boxed{2.18 × 10⁻¹⁸ J}
+ 2.2e-18 J ¦ \boxed{2.18*10^{-18} J}
+ 30° ¦ \boxed{30^\circ}
+ 30° ¦ \boxed{\theta = 30^\circ}
+ 30° ¦ \boxed{\pi/6}
+ 30° ¦ \boxed{\frac{\pi}{6}\text{ rad}}
+ 45.0 kg ¦ \boxed{45.0\ \text{kg}}
+ 45.0 kg ¦ \boxed{99.2\text{ lb}}
+ 200 m ¦ \boxed{200\text{ m}} (downstream)
+ 200 m ¦ The car travels \boxed{200 \text{ m}} before stopping.
+ 0 N ¦ \boxed{0}
"""
CHOICES = r"""
+ B ¦ The correct option is B because the net force is zero.
+ B ¦ The correct option is B because it does not depend on the mass.
+ B ¦ The correct option is B, because the mass is 2.5 kg.
+ B ¦ The correct option is B because energy is conserved. Friction is small.
- B ¦ The correct option is B because A is wrong. Wait, it is C.
- B ¦ The correct option is B or C because energy is conserved.
- B ¦ The correct option is not B because energy is conserved.
- B ¦ The correct option is C because energy is conserved.
+ B ¦ The correct option is B because the force is 2.5 N.
+ B ¦ 答案是 B
+ B ¦ 答案：B。
+ B ¦ 正确答案是B。
+ B ¦ 因此选 \boxed{B}。
- B ¦ 答案不是 B
- B ¦ 答案是 B 或 C
+ B ¦ Answer: B⏎Explanation: A is wrong because it ignores friction.
+ B ¦ Answer: B⏎⏎Explanation: A is wrong because it is too big. C is incorrect.
+ B ¦ **Answer: B**⏎⏎A is incorrect since it is too small.
+ B ¦ The answer is B. A is wrong.
+ B ¦ \boxed{B}⏎⏎Option A is incorrect since it is too small.
- B ¦ Answer: B⏎Explanation: B is wrong because it ignores friction. The answer is C.
- B ¦ Answer: B⏎B is wrong.
- B ¦ Answer: B⏎That is wrong.
+ C ¦ \boxed{\text{C}}
+ C ¦ \boxed{(C)}
+ C ¦ \boxed{C. 10^{-4} eV}
+ C ¦ The correct answer is **(C)**.
+ C ¦ The correct answer is (C) 10^-4 eV.
+ C ¦ **Answer: C**
+ C ¦ Answer: $C$
+ C ¦ Therefore, the correct choice is option C.
+ C ¦ ANSWER: C
+ C ¦ Final Answer: (C)
+ C ¦ The answer is $\boxed{\textbf{(C)}}$.
+ C ¦ Answer: C⏎⏎- A) Incorrect: too small.⏎- B) Incorrect: too large.⏎- C) Correct.⏎- D) Incorrect.
+ C ¦ Answer: C⏎⏎A and B are incorrect because they violate conservation.
+ C ¦ \boxed{C}⏎⏎Explanation: Choice A would be wrong since energy is conserved.
- C ¦ Answer: C⏎⏎Actually the answer is D.
- C ¦ Answer: C⏎C is incorrect because it ignores spin.
- C ¦ Answer: C⏎A is wrong. C is wrong. The correct answer is B.
- C ¦ The answer is B. C is wrong.
- C ¦ A, B and D are wrong.
- C ¦ Answer: not C
- C ¦ Answer: C or D
- C ¦ \boxed{C, D}
- C ¦ A⏎B⏎C⏎D
+ C ¦ C) Mitochondria
+ C ¦ The best answer is C.
+ C ¦ I would choose C.
+ C ¦ So, option C is correct.
+ C ¦ The correct answer is C: the enzyme is inhibited.
+ C ¦ Answer: C – the enzyme is inhibited.
+ C ¦ Answer: C (the enzyme is inhibited)
+ C ¦ Answer: C⏎⏎The wrong options can be ruled out quickly.
- C ¦ Answer: C. It is not true that A is wrong.⏎So the answer is A.
- C ¦ Answer: C⏎Everything is wrong.
- C ¦ Answer: C⏎C and D are incorrect.
- C ¦ C is wrong
- C ¦ I would not choose C.
- C ¦ Option C is not correct.
- C ¦ The worst answer is C.
- C ¦ C (or D)
- C ¦ C (not D, maybe B)
- C ¦ Answer: C (A)
- C ¦ I choose C and D.
- C ¦ C is the correct answer if D is wrong. D is correct.
+ A ¦ A
- A ¦ A good answer would be B.
- A ¦ A is the first letter
- A ¦ Answer: A lot of them
- I ¦ I would choose C.
- I ¦ I do not know.
- B ¦ The answer is either A or B
+ B ¦ The answer is B⏎⏎A: incorrect⏎C: incorrect
- B ¦ \boxed{A}. B is right.
- B ¦ \boxed{B}. A is right.
+ B ¦ \boxed{B}. B is right.
- B ¦ B is correct. C is correct.
- B ¦ Answer: B⏎Answer: C
- B ¦ B?
- B ¦ A is correct or B is correct
- B ¦ Either way B is correct, not A
+ B ¦ Answer: B⏎⏎Incorrect options: A, C and D.
+ B ¦ Answer: **B**⏎- **A**: Incorrect. It is too small.⏎- **C** is wrong.
+ B ¦ The answer is (B).⏎(A), (C), and (D) are all incorrect.
+ B ¦ **Step 1**: compute.⏎**Step 2**: compare.⏎⏎The correct answer is **B) 10^-4 eV**.
+ B ¦ $\boxed{\text{B}}$⏎⏎**Why the others fail:** A ignores recoil; C and D violate parity.
+ B ¦ \[⏎\boxed{B}⏎\]
+ B ¦ The correct answer is **Option B**.
+ B ¦ Correct answer: **B**
+ B ¦ **Correct Answer:** (B) It increases.
+ B ¦ The answer is B. Therefore, A, C, and D are incorrect.
+ B ¦ Answer: B) it increases⏎Option A might be tempting, but it is incorrect.
+ B ¦ The answer is (B) since the others are wrong.
+ B ¦ \boxed{B) \text{ it increases}}
+ B ¦ \boxed{\text{B) it increases}}
+ B ¦ \boxed{\text{(B) } x = 5}
+ B ¦ Thus the answer is B, not A.
- B ¦ Thus the answer is A, not B.
+ B ¦ I'm confident the answer is B.
+ B ¦ <answer>B</answer>
+ B ¦ Answer: \boxed{B}. Explanation: B is correct because A, C are wrong.
+ B ¦ #### B
+ B ¦ The final answer is: $\boxed{B}$
+ B ¦ Hence the correct option is (B).
+ B ¦ (B) is the correct answer.
+ B ¦ B is the best choice.
+ B ¦ So the answer is **B**, because the field vanishes inside.
- B ¦ The answer is B since C and B are right.
- B ¦ The answer is B, because not B.
- B ¦ Answer: B⏎B might be tempting, but it is incorrect.
- B ¦ I'm not sure the answer is B.
- B ¦ B, not B.
- B ¦ Not A, B.
"""
WORDS = r"""
- AaBb ¦ \boxed{aabb}
- AABb ¦ Answer: AAbb
+ AaBb ¦ \boxed{AaBb}
- Mn ¦ \boxed{MN}
- k ¦ \boxed{K}
+ Golgi apparatus ¦ The answer is the golgi apparatus.
+ mitochondria ¦ \boxed{MITOCHONDRIA}
+ no ¦ No
+ no ¦ No.
+ no ¦ **No**
+ no ¦ No!
+ no ¦ No, it will not.
+ no ¦ No. It will not.
+ no ¦ **No**, it will not.
+ no ¦ No, because the lid is closed.
+ no ¦ Answer: No, it will not.
+ no ¦ The answer is no, because the lid is closed.
+ no ¦ **Answer:** No
+ no ¦ \boxed{no}
+ no ¦ \boxed{\text{No}}.
+ no ¦ \boxed{\text{No, it will not}}
+ no ¦ No.⏎⏎The reaction is endothermic.
+ yes ¦ Yes.⏎⏎The reaction is exothermic.
+ yes ¦ Yes, it will.
+ yes ¦ Yes!
+ yes ¦ Yes — the ice melts.
+ yes ¦ So the answer is yes.
+ true ¦ True, since heat rises.
+ false ¦ False. Heat rises.
- no ¦ Yes
- no ¦ Yes, it will.
- no ¦ No, it will.
- no ¦ No or yes.
- no ¦ No, maybe it will.
- no ¦ No. Wait, yes.
- no ¦ No, but yes on Sundays.
- no ¦ No⏎Yes
- no ¦ Yes⏎No
- no ¦ Not no.
- no ¦ \boxed{no} or \boxed{yes}
- yes ¦ No, yes is wrong.
- yes ¦ Yes, it will not.
- yes ¦ Yes and no.
- yes ¦ Yes?
- yes ¦ Yes. No.
- yes ¦ Yes. The answer is no.
- true ¦ False, true would be another case.
- no ¦ nobelium
+ increase ¦ It will increase.
+ increase ¦ Heat flows in.⏎⏎It will increase.
- increase ¦ It will decrease.
- increase ¦ It will not increase.
- increase ¦ It might increase.
- increase ¦ It will increase or decrease.
- increase ¦ It will decrease. It will increase.
- increase ¦ It will increase?
+ NaCl ¦ The formula is NaCl.
- NaCl ¦ The formula is NaCl2.
- NaCl ¦ The formula is not NaCl.
- NaCl ¦ The formula is NaCl or KCl.
- mercury ¦ The smallest planet is mercury.
+ mitochondria ¦ The answer is **mitochondria**.
+ mitochondria ¦ \boxed{\text{Mitochondria}}
+ mitochondria ¦ \boxed{\text{The mitochondria}}
- mitochondria ¦ \boxed{\text{not mitochondria}}
+ sodium chloride ¦ \boxed{\text{Sodium Chloride}}
- sodium chloride ¦ \boxed{\text{sodium}}
+ NaCl ¦ \boxed{\mathrm{NaCl}}
+ CO2 ¦ \boxed{\text{CO}_2}
+ CO2 ¦ \boxed{\mathrm{CO_2}}
- CO2 ¦ \boxed{\mathrm{CO}}
- Co ¦ \boxed{CO}
+ sp3 ¦ \boxed{sp^3}
+ SO4^2- ¦ \boxed{\mathrm{SO_4^{2-}}}
- Na+ ¦ \boxed{\mathrm{Na^-}}
+ Fe3+ ¦ \boxed{\mathrm{Fe^{3+}}}
- Fe3+ ¦ \boxed{\mathrm{Fe^{2+}}}
+ 1s2 2s2 2p6 ¦ \boxed{1s^2 2s^2 2p^6}
+ alpha particle ¦ \boxed{\text{alpha particle}}
- -1 ¦ \boxed{+1}
+ beta-carotene ¦ \boxed{\text{β-carotene}}
+ SN2 ¦ \boxed{S_N2}
+ trigonal planar ¦ \boxed{\text{Trigonal planar}}
- trigonal planar ¦ \boxed{\text{trigonal pyramidal}}
- Cl- ¦ \boxed{Cl}
+ Cl- ¦ \boxed{\text{Cl}^-}
- Cl ¦ \boxed{Cl^-}
- Na+ ¦ \boxed{Na}
+ Na+ ¦ \boxed{\text{Na}^+}
- O2- ¦ \boxed{O2}
- CO ¦ \boxed{Co}
+ no ¦ \boxed{\text{No}}
+ No ¦ \boxed{\text{no}}
- yes ¦ \boxed{\text{no}}
- 7 ¦ \boxed{-7}
- -7 ¦ \boxed{7}
- 10^5 ¦ \boxed{105}
- 2.5 ¦ \boxed{25}
- mitochondria ¦ The answer is mitochondria. It may be chloroplast.
- mitochondria ¦ The answer is mitochondria. Chloroplast rather than mitochondria.
- (R)-2-butanol ¦ \boxed{\text{(S)-2-butanol}}
- cis-2-butene ¦ \boxed{\text{trans-2-butene}}
+ cis-2-butene ¦ \boxed{\text{cis-2-butene}}
+ -7 ¦ \boxed{-7}
+ 10^5 ¦ \boxed{10^{5}}
+ SO4^2- ¦ \boxed{\text{SO}_4^{2-}}
+ SO4^2- ¦ \boxed{\text{SO4}^{2-}}
- SO4^2- ¦ \boxed{\text{SO}_4^{-}}
- SO4^2- ¦ \boxed{\text{SO}_4^{2+}}
+ sp3d2 ¦ \boxed{sp^3d^2}
- iron ¦ \boxed{\text{iron, copper}}
- iron ¦ \boxed{\text{iron oxide}}
- increase ¦ \boxed{\text{decrease}}
+ Hg ¦ \boxed{\ce{Hg}}
+ NaOH ¦ The answer is NaOH.
+ H2SO4 ¦ \boxed{\mathrm{H}_2\mathrm{SO}_4}
+ NH4+ ¦ \boxed{\text{NH}_4^+}
- NH4+ ¦ \boxed{\text{NH}_4}
- NH4+ ¦ \boxed{\text{NH}_3}
- Mg2+ ¦ \boxed{\text{Mg}_2^+ \text{ or } \text{Mg}^{2+}}
"""
MOLECULES = r"""
+ CC#N ¦ \boxed{CC\#N}
+ CC#N ¦ \boxed{\text{CC\#N}}
+ CC#N ¦ \boxed{\text{CC#N}}
+ CC#N ¦ \boxed{\texttt{CC\#N}}
+ CC#N ¦ \boxed{\mathrm{CC\#N}}
+ CC(=O)O ¦ \boxed{\text{CC(=O)O}}
+ CC(=O)O ¦ \boxed{\text{SMILES: CC(=O)O}}
+ CC(=O)O ¦ Answer: `CC(=O)O`
- F/C=C\F ¦ \boxed{\text{F/C=C/F}}
+ F/C=C\F ¦ \boxed{\text{F/C=C\F}}
+ F/C=C\F ¦ \boxed{\text{F/C=C\textbackslash F}}
+ [Na+].[Cl-] ¦ \boxed{[\text{Na+}].[\text{Cl-}]}
+ CC(=O)[O-] ¦ <SMILES>CC(=O)[O-]</SMILES>
+ C[N+](C)(C)C ¦ \boxed{\verb|C[N+](C)(C)C|}
+ CC(=O)Oc1ccccc1C(=O)O ¦ The SMILES is `O=C(C)Oc1ccccc1C(=O)O`.⏎⏎Answer: `O=C(C)Oc1ccccc1C(=O)O`
+ CC(=O)Oc1ccccc1C(=O)O ¦ \boxed{\texttt{CC(=O)OC1=CC=CC=C1C(=O)O}}
+ CC(=O)Oc1ccccc1C(=O)O ¦ ```⏎CC(=O)OC1=CC=CC=C1C(=O)O⏎```
+ CC(=O)Oc1ccccc1C(=O)O ¦ ```smiles⏎CC(=O)OC1=CC=CC=C1C(=O)O⏎```
- CC(=O)Oc1ccccc1C(=O)O ¦ \boxed{\texttt{CC(=O)OC1=CC=CC=C1C(=O)OC}}
+ C#CC ¦ \boxed{C\#CC}
- C#CC ¦ \boxed{C=CC}
+ N[C@@H](C)C(=O)O ¦ \boxed{\text{C[C@H](N)C(=O)O}}
- N[C@@H](C)C(=O)O ¦ \boxed{\text{CC(N)C(=O)O}}
+ C1CC1 ¦ The SMILES of cyclopropane is C1CC1
+ C1CC1 ¦ **SMILES:** C1CC1
+ C1CC1 ¦ \boxed{\text{SMILES: }C1CC1}
+ C1CC1 ¦ $\boxed{\mathrm{C1CC1}}$
- CCO ¦ \boxed{C_2H_5OH}
- CC#N ¦ \boxed{CC\#C}
- CC#N ¦ \boxed{CC=N}
- CC#N ¦ \boxed{CC\#N} or \boxed{CC=N}
- CC#N ¦ The SMILES is not CC#N
+ F/C=C\F ¦ \boxed{F/C=C\\F}
- F/C=C\F ¦ \boxed{F\\C=C\backslash F}
- C ¦ \boxed{C_6}
- c1ccccc1 ¦ \boxed{C1CCCCC1}
- c1ccccc1 ¦ c1ccccc1⏎C1CCCCC1
+ c1ccccc1 ¦ The SMILES string for benzene is `c1ccccc1`.
- c1ccccc1 ¦ The SMILES is not c1ccccc1
+ CC(C)=O ¦ <answer>CC(=O)C</answer>
+ CC(C)=O ¦ \boxed{\mathrm{CC(=O)C}}
"""
TABLES = {"number": NUMBERS, "choice": CHOICES, "text": WORDS, "molecule": MOLECULES}
CASES = [(name, line) for name, table in TABLES.items() for line in table.strip().splitlines()]


@each(("verifier", "line"), CASES)
def test_what_a_response_says_decides(verifier, line):
    assert is_judged_as_its_line_says(verifier, line)
